"""The migrations of both engines: numbered SQL scripts, each applied once and in order.

They are sql/<engine>/migrations/0001_*.sql and so on. A number means the same schema in both engines; the table
schema_version holds the last one that was applied.

Rule: a database of a newer release, or of another program, is refused before anything in it is changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from barcodesvc.errors import StartError
from barcodesvc.store.script import Script, Statement, one, rows, run
from barcodesvc.symbols.canonical_numbers import number_key
from barcodesvc.texts import fold, searched_text

OWN_TABLES = frozenset({"schema_version", "products", "levels", "level_changes"})
"""Tables of every database of this service, since its first version."""
PRODUCTS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Derivation:
    """A column of products that SQL cannot compute.

    The query `read` returns ids and texts after an id, `put` stores values that are given by id in a JSON object, and
    `value` derives them from the texts.
    """

    read: str
    put: str
    value: Callable[..., str | None]

    def script(self) -> Script[None]:
        """Store the values of all products that have one."""
        after = 0
        while products := (yield rows(self.read, after=after, limit=PRODUCTS_AT_ONCE)):
            found = ((product_id, self.value(*texts)) for product_id, *texts in products)
            yield run(self.put, given=json.dumps({product_id: value for product_id, value in found if value}))
            after = products[-1][0]


def _searched_text(description: str, attributes: str) -> str:
    return searched_text(description, json.loads(attributes))


DERIVED: Mapping[int, Derivation] = {
    11: Derivation("products_with_letters_beyond_ascii", "put_folded_descriptions", fold),
    17: Derivation("products_with_attributes", "put_folded_descriptions", _searched_text),
    18: Derivation("product_codes", "put_number_keys", number_key),
}
"""What is derived again after a migration, by its number."""


def scripts_of(engine: str) -> dict[int, str]:
    """Return the SQL of every migration of an engine by its number."""
    folder = files("barcodesvc.sql").joinpath(engine, "migrations")
    scripts = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    return {int(file.name[:4]): file.read_text("utf-8") for file in sorted(scripts, key=lambda file: file.name)}


def migration(scripts: Mapping[int, str]) -> Generator[Statement | str, Any, int]:
    """Bring a database to the newest version, in the open transaction, and return that version.

    Yields named statements, and the SQL of whole migrations. Raises StartError for a database of a newer release or of
    another program.
    """
    newest = max(scripts)
    version = yield from _version()
    _refuse_newer(version, newest)
    for number in range(version + 1, newest + 1):
        yield scripts[number]
        if number in DERIVED:
            yield from DERIVED[number].script()
        yield run("set_schema_version", version=number)
    return newest


def _version() -> Script[int]:
    tables = {name for (name,) in (yield rows("tables"))}
    if tables and not tables >= OWN_TABLES:
        raise StartError("the database belongs to another program; name another one in BARCODESVC_DATABASE")
    if not tables:
        yield run("create_schema_version")
        yield run("begin_schema_version")
    return int((yield one("schema_version"))[0])


def _refuse_newer(version: int, known: int) -> None:
    if version > known:
        raise StartError(
            f"the database has schema version {version}, this release knows {known}; "
            "start a newer release of barcodesvc, or name another database"
        )
