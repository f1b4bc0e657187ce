"""What the migrations of both engines share: numbered SQL scripts, each applied once and in order.

They are sql/<engine>/migrations/0001_*.sql and so on. A number means the same schema in both engines; the table
schema_version holds the last one that was applied.

Rule: a database of a newer release, or of another program, is refused before anything in it is changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence, Set as AbstractSet
from importlib.resources import files
from typing import Final

from barcodesvc.errors import StartError
from barcodesvc.symbols.canonical_numbers import number_key

OWN_TABLES = frozenset({"schema_version", "products", "levels", "level_changes"})
"""Tables of every database of this service, since its first version."""
KEYS_MISSING: Final = 8
"""The migration after which the number keys of products are filled in, because SQL cannot compute them."""
PRODUCTS_AT_ONCE: Final = 2_000


def scripts_of(engine: str) -> dict[int, str]:
    """Return the SQL of every migration of an engine by its number."""
    folder = files("barcodesvc.sql").joinpath(engine, "migrations")
    scripts = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    return {int(file.name[:4]): file.read_text("utf-8") for file in sorted(scripts, key=lambda file: file.name)}


def is_new(tables: AbstractSet[str]) -> bool:
    """Return whether a database with these tables is empty; raises StartError for one of another program."""
    if tables and not tables >= OWN_TABLES:
        raise StartError("the database belongs to another program; name another one in BARCODESVC_DATABASE")
    return not tables


def refuse_newer(version: int, known: int) -> None:
    """Raise StartError for a version of the schema above the newest one that this release knows."""
    if version > known:
        raise StartError(
            f"the database has schema version {version}, this release knows {known}; "
            "start a newer release of barcodesvc, or name another database"
        )


def number_keys(products: Sequence[tuple[int, str]]) -> str:
    """Return the number keys of products given by id and code, as JSON by id, without products that have none."""
    keys = ((product_id, number_key(code)) for product_id, code in products)
    return json.dumps({product_id: key for product_id, key in keys if key})
