"""The catalogue in the database: one function per query, drafts in, records out.

A product is stored with the folded texts that searches compare, which are derived here. It is written in one
transaction with its own code, by which scans find it (see `codes`), and with its inventory record.
"""

import json
from collections.abc import Mapping, Sequence

from barcodesvc.errors import InvalidInput, ProductNotFound, field_problem
from barcodesvc.made_codes import MadeCodes
from barcodesvc.models import Level, Product, ProductChange, ProductDraft, disordered_levels
from barcodesvc.store import codes
from barcodesvc.store.attributes import attributes_in, changed, product_of, require_room_for_names, stored_text
from barcodesvc.store.database import Database
from barcodesvc.store.idempotency import KEY, KeyedRequest
from barcodesvc.store.made_codes import make_codes
from barcodesvc.store.script import Script, Statement, one, run
from barcodesvc.texts import fold, searched_text

FIRST_REASON = "initial level"
_TEXT_FIELDS = ("description", "category", "unit_of_measure")
TEXTS_AT_ONCE = 250
"""Products whose texts one statement reads, in about a millisecond."""


def no_such_product(product_id: int) -> ProductNotFound:
    """Return the error for an id that no product has."""
    return ProductNotFound(f"there is no product with id {product_id}", id=product_id)


def read_level(product_id: int) -> Script[Level]:
    """Return the inventory record of the product as the transaction sees it; raises ProductNotFound."""
    row = yield one("get_level", product_id=product_id)
    if row is None:
        raise no_such_product(product_id)
    return Level(*row)


async def get_product(database: Database, product_id: int) -> Product:
    """Return the product; raises ProductNotFound."""
    row = await database.row("get_product", id=product_id)
    if row is None:
        raise no_such_product(product_id)
    return product_of(row)


async def get_product_by_code(database: Database, product_code: str) -> Product:
    """Return the product with exactly this code, its own or a further one; raises ProductNotFound."""
    row = await database.row("get_product_by_code", product_code=product_code)
    if row is None:
        raise ProductNotFound(f"there is no product with code {product_code!r}", missing=[product_code])
    return product_of(row)


def create(request: KeyedRequest[ProductDraft], made: MadeCodes) -> Script[Product]:
    """Create a product with its inventory record; raises DuplicateProductCode, also if a reply to the request is kept.

    The statement that inserts the product looks for both, which saves one for each. A product without a code gets the
    next one that is made.
    """
    draft = request.asked
    if not draft.product_code:
        [code] = yield from make_codes(made, 1)
        draft = draft.model_copy(update={"product_code": code})
    try:
        yield from require_room_for_names(draft.attributes)
    except InvalidInput:
        yield from codes.require_free(draft.product_code)
        raise
    row = yield _inserted(draft, request)
    if row is None:
        yield from codes.require_free(draft.product_code)
        raise codes.taken(draft.product_code)  # a reply to the request is kept, which replaces this
    product = product_of(row)
    yield from codes.put([codes.own_code(product.id, draft.product_code, request.now)])
    yield from _first_level(product.id, draft, request.now)
    return product


def update(product_id: int, change: ProductChange, now: str) -> Script[Product]:
    """Change the fields that are set; raises ProductNotFound, InvalidInput, and DuplicateProductCode."""
    level = yield from read_level(product_id)
    _require_applicable(change, level)
    if change.product_code not in (None, level.product_code):
        former = yield from begin_change_of_codes(product_id, now)
        yield from codes.change_own(product_id, former, change.product_code, now)
    texts = yield from _changed_texts(product_id, change)
    product = yield _updated(product_id, change, texts, now)
    if product is None:  # another replica has deleted it meanwhile
        raise no_such_product(product_id)
    bounds = {"minimum_level": change.minimum_level, "maximum_level": change.maximum_level}
    if set(bounds.values()) != {None}:
        yield run("set_level_bounds", product_id=product_id, **bounds)
    return product_of(product)


def begin_change_of_codes(product_id: int, now: str) -> Script[str]:
    """Lock the product to the end of the transaction, and return its code; raises ProductNotFound."""
    row = yield one("begin_change_of_codes", id=product_id, now=now)
    if row is None:
        raise no_such_product(product_id)
    return str(row[0])


def delete(product_id: int) -> Script[str]:
    """Delete the product with its level and history and return its code; raises ProductNotFound."""
    row = yield one("delete_product", id=product_id)
    if row is None:
        raise no_such_product(product_id)
    return str(row[0])


async def product_texts(database: Database, codes: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the texts of the products that have these codes, by code, each by its field, or as `attributes.price`.

    They are read in batches: one statement for ten thousand of them would delay scans.
    """
    found: dict[str, dict[str, str]] = {}
    for start in range(0, len(codes), TEXTS_AT_ONCE):
        # without what cannot be a code: a NUL or half of a surrogate pair would make the whole array unreadable
        asked = [code for code in codes[start : start + TEXTS_AT_ONCE] if code.isascii() and code.isprintable()]
        rows = await database.rows("product_texts_by_codes", wanted=json.dumps(asked))
        found |= {code: _texts(fields, attributes) for code, *fields, attributes in rows}
    return found


def _texts(fields: Sequence[str], attributes: str) -> dict[str, str]:
    of_attributes = {f"attributes.{name}": text for name, text in attributes_in(attributes).items()}
    return {**dict(zip(_TEXT_FIELDS, fields, strict=True)), **of_attributes}


def _inserted(draft: ProductDraft, request: KeyedRequest[ProductDraft]) -> Statement:
    return one(
        "insert_product",
        product_code=draft.product_code,
        description=draft.description,
        category=draft.category,
        unit_of_measure=draft.unit_of_measure,
        attributes=stored_text(draft.attributes),
        now=request.now,
        **search_keys(draft),
        **request.key_parameters,
    )


def _first_level(product_id: int, draft: ProductDraft, now: str) -> Script[None]:
    first = {"product_id": product_id, "level": draft.initial_level, "updated_by": draft.updated_by, "now": now}
    yield run("insert_level", minimum_level=draft.minimum_level, maximum_level=draft.maximum_level, **first)
    if draft.initial_level:
        yield run("insert_first_movement", change_reason=FIRST_REASON, **first)


def search_keys(draft: ProductDraft) -> dict[str, str]:
    """Derive the texts that searches compare; it takes too long for many products in the event loop."""
    return {
        "code_folded": fold(draft.product_code),
        "description_folded": searched_text(draft.description, draft.attributes),
    }


def _changed_texts(product_id: int, change: ProductChange) -> Script[dict[str, str | None]]:
    """Return the attributes after the change and what searches look at, None for what stays.

    Without attributes in the change, the folded values of the stored ones stay.
    """
    if not change.attributes:
        folded = None if change.description is None else fold(change.description)
        return {"attributes": None, "description_folded": folded}
    yield from require_room_for_names([name for name, value in change.attributes.items() if value is not None])
    stored = yield one("lock_texts", id=product_id)
    if stored is None:  # another replica has deleted it meanwhile
        raise no_such_product(product_id)
    description = stored[0] if change.description is None else change.description
    attributes = changed(stored[1], change.attributes)
    return {"attributes": stored_text(attributes), "description_folded": searched_text(description, attributes)}


def _updated(product_id: int, change: ProductChange, texts: Mapping[str, str | None], now: str) -> Statement:
    return one(
        "update_product",
        id=product_id,
        product_code=change.product_code,
        code_folded=None if change.product_code is None else fold(change.product_code),
        description=change.description,
        category=change.category,
        unit_of_measure=change.unit_of_measure,
        retired=None if change.retired is None else int(change.retired),
        now=now,
        **texts,
    )


def _require_applicable(change: ProductChange, level: Level) -> None:
    problems = []
    minimum = level.minimum_level if change.minimum_level is None else change.minimum_level
    maximum = level.maximum_level if change.maximum_level is None else change.maximum_level
    if message := disordered_levels(minimum, maximum):
        problems.append(field_problem("maximum_level", message, change.maximum_level, rule="order"))
    if change.model_fields_set - {KEY} == {"product_code"} and change.product_code == level.product_code:
        problems.append(field_problem("body", "nothing to change: product_code stays as it is"))
    if problems:
        raise InvalidInput.of(*problems)
