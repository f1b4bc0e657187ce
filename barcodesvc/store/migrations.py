"""The migrations of both engines: numbered SQL scripts, each applied once and in order.

The first one, 0018_schema.sql, makes the tables of a new database; those with higher numbers change them. A script has
what both engines share in sql/migrations, and what follows for one of them in sql/<engine>/migrations. A number means
the same schema in both; the table schema_version holds the last one that was applied.

Rules: neither a script nor a part that it uses ever changes. A database of another program, of a newer release, or
from before the first script is refused before anything in it is changed.
"""

from collections.abc import Collection, Generator, Mapping
from importlib.resources import files
from typing import Any

from barcodesvc.errors import StartError
from barcodesvc.store import codes
from barcodesvc.store.queries import filled_in, load_parts
from barcodesvc.store.script import Script, Statement, one, rows, run

OWN_TABLES = frozenset({"schema_version", "products", "levels"})
"""Tables of every database of this service, whatever its version."""


def scripts_of(engine: str) -> dict[int, str]:
    """Return the SQL of every migration of an engine by its number."""
    root, parts = files("barcodesvc.sql"), load_parts(engine)
    scripts: dict[int, str] = {}
    for folder in (root.joinpath("migrations"), root.joinpath(engine, "migrations")):
        for file in folder.iterdir():
            if file.name.endswith(".sql"):
                number = int(file.name[:4])
                scripts[number] = scripts.get(number, "") + filled_in(file.read_text("utf-8"), parts)
    return dict(sorted(scripts.items()))


def migration(scripts: Mapping[int, str]) -> Generator[Statement | str, Any, None]:
    """Bring a database to the newest version, in the open transaction; raises StartError as `known_version` does.

    Yields named statements, and the SQL of whole migrations.
    """
    version = yield from known_version(scripts)
    if not version:
        yield run("create_schema_version")
        yield run("begin_schema_version")
    for number in sorted(scripts):
        if number > version:
            yield scripts[number]
            yield run("set_schema_version", version=number)
            if number == codes.FIRST_VERSION and version:
                yield from codes.derive_own_codes()


def known_version(scripts: Collection[int]) -> Script[int]:
    """Return the version of a database, 0 for one without tables.

    Raises StartError for a database of another program, of a newer release, or from before the first script.
    """
    tables = {name for (name,) in (yield rows("tables"))}
    if not tables:
        return 0
    if not tables >= OWN_TABLES:
        raise StartError("the database belongs to another program; name another one in BARCODESVC_DATABASE")
    version = int((yield one("schema_version"))[0])
    if version > max(scripts):
        raise StartError(
            f"the database has schema version {version}, this release knows {max(scripts)}; "
            "start a newer release of barcodesvc, or name another database"
        )
    if version < min(scripts):
        raise StartError(no_longer_known(version))
    return version


def no_longer_known(version: int) -> str:
    """Return why a database from before the first script is refused, and what to do."""
    return (
        f"the database has schema version {version}, from before the first release; start the version of barcodesvc "
        "that wrote it, download /api/products/export and /api/inventory/export, and import both into a new database; "
        "history and label layouts stay in the old one"
    )
