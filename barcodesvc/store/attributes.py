"""Attributes in the database: each product has its own as a JSON object, in the order of their names.

Rule: the products of a catalogue have at most MOST_NAMES different names, because each is a column of an export.
Changes that add a name take turns, so that two of them never exceed the limit together; others do not wait for them.
"""

from collections.abc import Collection, Mapping

from pydantic_core import from_json, to_json

from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.models import MOST_ATTRIBUTES, NO_ATTRIBUTES, Product, too_many_attributes
from barcodesvc.store.script import Row, Script, rows, run

MOST_NAMES = 200
"""Different names of attributes in a catalogue."""
_MOST_LISTED = 5
"""Names that a refusal lists."""
_NONE = "{}"


def product_of(row: Row, first: int = 0) -> Product:
    """Return the product of a row whose columns are those of products, from the first one on."""
    *values, retired, attributes = row[first:]
    return Product(*(*values, bool(retired), attributes_in(attributes)))


def attributes_in(stored: str) -> Mapping[str, str]:
    """Return the attributes in a stored text."""
    return NO_ATTRIBUTES if stored == _NONE else from_json(stored)


def stored_text(attributes: Mapping[str, str]) -> str:
    """Return the text under which attributes are stored."""
    return to_json(dict(sorted(attributes.items()))).decode() if attributes else _NONE


def changed(stored: str, changes: Mapping[str, str | None]) -> dict[str, str]:
    """Return stored attributes after changes, None for those to remove; raises InvalidInput if too many."""
    merged = {**attributes_in(stored), **changes}
    kept = {name: value for name, value in merged.items() if value is not None}
    if len(kept) > MOST_ATTRIBUTES:
        message = f"would be {too_many_attributes(len(kept))}"
        raise InvalidInput.of(field_problem("attributes", message, rule="too many"))
    return kept


def require_room_for_names(names: Collection[str], field: str = "attributes") -> Script[None]:
    """Make sure that products can get these names; raises InvalidInput, about the field, if the catalogue has too many.

    It comes before the change that adds them locks a product, so that no two changes wait for each other.
    """
    if not names or (yield from names_in_use()).issuperset(names):
        return
    yield run("lock_names")
    require_few(names, (yield from names_in_use()), field)


def names_in_use() -> Script[set[str]]:
    """Return the names that products have."""
    return {name for (name,) in (yield rows("attribute_names"))}


def require_few(names: Collection[str], used: Collection[str], field: str) -> None:
    """Raise InvalidInput if these names and the used ones are too many for a catalogue."""
    new = sorted(set(names) - set(used))
    if new and len(used) + len(new) > MOST_NAMES:
        listed = ", ".join(new[:_MOST_LISTED]) + ", …" * (len(new) > _MOST_LISTED)
        message = (
            f"a catalogue has at most {MOST_NAMES} different names of attributes; {len(used)} are in use, "
            f"and {len(new)} would be new: {listed}"
        )
        raise InvalidInput.of(field_problem(field, message, rule="too many names"))
