"""A database of an earlier schema goes on with all that is stored, on either engine."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest

from barcodesvc.clock import Clock
from barcodesvc.models import LevelAdjustment, ProductDraft
from barcodesvc.scanning.resolver import Resolver
from barcodesvc.store.engines import open_database
from barcodesvc.store.idempotency import KeyedRequest
from barcodesvc.store.migrations import scripts_of
from barcodesvc.store.print_jobs import list_unsettled_jobs
from barcodesvc.store.sqlite.backup import back_up, restore
from tests.direct_sql import run_sql
from tests.engines import Place, in_thread
from tests.stock import adjust_level, create_product, history

NOON, LATER = "2026-01-31T12:00:00.000Z", "2026-01-31T12:00:01.000Z"
ASKED = KeyedRequest(LevelAdjustment(delta=-2), "POST /x", "K", LATER, timedelta(days=30))
STORED = """
INSERT INTO products (product_code, description, category, unit_of_measure, created_at, updated_at, code_folded,
                      description_folded)
VALUES ('A-1', 'x', '', 'pcs', '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z', 'a-1', 'x');

INSERT INTO levels (product_id, current_level, minimum_level, maximum_level, last_updated, updated_by)
VALUES (1, 5, 0, 0, '2026-01-31T12:00:00.000Z', 'ada');

INSERT INTO level_changes (product_id, old_level, new_level, change_reason, updated_by, updated_at, undoes)
VALUES (1, 0, 5, 'initial level', 'ada', '2026-01-31T12:00:00.000Z', NULL),
       (1, 5, 3, 'sold', 'ada', '2026-01-31T12:00:00.000Z', NULL),
       (1, 3, 5, 'undone', 'ada', '2026-01-31T12:00:00.000Z', 2),
       (1, 5, 9, 'lost', 'ada', '2026-01-31T12:00:00.000Z', NULL);

DELETE FROM level_changes WHERE id = 4;

INSERT INTO idempotency_keys (idempotency_key, used_for, fingerprint, answer, used_at)
VALUES ('K', 'POST /x', '{fingerprint}', 'kept', '2026-01-31T12:00:00.000Z');

INSERT INTO print_jobs (printer, state, labels, labels_sure, labels_unsure, message, created_at, updated_at, resend_of,
                        from_label, tried_at, is_cancelled, bytes, request)
VALUES ('zebra', 'failed', 1, 0, 0, '', '{noon}', '{noon}', NULL, 1, '', 0, 2, '{}'),
       ('zebra', 'failed', 1, 0, 0, '', '{noon}', '{noon}', 1, 1, '', 0, 2, '{}');

"""
"""What version 18 stored: a product whose sale was undone, a lost movement, a kept reply, a failed job and its rest."""
CODES = {
    "4 006381 333931": ["]E04006381333931", "(01) 04006381333931"],
    "0-8044-2957-X": ["9780804429573"],
    "9771234567003+05": ["9771234567003 05", "]E09771234567003"],
    "PZN - 1234567": ["-12345678"],
    "A123456B": ["123456"],
    "Box-7": ["BOX-7", "]C0Box-7"],
    "(10)LOT7": ["]C110LOT7"],
    "36000291452": ["0036000291452"],
}
"""Product codes of all kinds, and scans that find each."""
NAMES = {
    "sqlite": "SELECT name FROM sqlite_master UNION ALL SELECT name FROM sqlite_sequence",
    "postgres": "SELECT relname FROM pg_class UNION ALL SELECT conname FROM pg_constraint WHERE contype <> 'n'",
}


def written(engine: str, version: int, rows: str) -> str:
    """Return the statements that make a database of an earlier version with these rows."""
    schema = "".join(script for number, script in scripts_of(engine).items() if number <= version)
    number = f"CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES ({version});"  # noqa: S608 - a number
    return schema + rows + number


@pytest.fixture
def empty(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Return the place of a database without tables."""
    if engine == "sqlite":
        yield tmp_path / "earlier.db"
    else:
        with request.getfixturevalue("postgres").empty() as place:
            yield place


def made(place: Place, script: str) -> None:
    """Run all statements of a script on a database."""
    if isinstance(place, Path):
        with closing(sqlite3.connect(place)) as connection:
            connection.executescript(script)
    else:
        in_thread(executed(place.url, script))


@pytest.fixture
def earlier(engine: str, empty: Place) -> Place:
    """Return the place of a database of version 18."""
    rows = STORED.replace("{fingerprint}", ASKED.fingerprint).replace("{noon}", NOON)
    made(empty, written(engine, 18, rows))
    return empty


async def executed(address: str, script: str) -> None:
    """Run all statements of a script on a server."""
    connection = await asyncpg.connect(address)
    await connection.execute(script)
    await connection.close()


async def opened_history(place: Place) -> list[tuple[object, ...]]:
    """Open the database, and return the id, the levels and the undoing movement of each movement, newest first."""
    async with open_database(place) as database:
        return [(made.id, made.old_level, made.new_level, made.undone_by) for made in await history(database, 1)]


@pytest.mark.each_engine
async def test_a_database_of_version_18_goes_on(earlier: Place) -> None:
    """Movements and kept replies are there, no id is given again, and a job that was sent again needs no person."""
    assert await opened_history(earlier) == [(3, 3, 5, None), (2, 5, 3, 3), (1, 0, 5, None)]
    async with open_database(earlier) as database:
        assert (await adjust_level(database, 1, ASKED, lambda _: b"new")).body == b"kept"
        other = KeyedRequest(ASKED.asked, "POST /x", "L", LATER, timedelta(days=30))
        assert (await adjust_level(database, 1, other, lambda made: str(made.id).encode())).body == b"5"
        assert [job.id for job in await list_unsettled_jobs(database, "zebra", 10, None)] == [2]


@pytest.mark.each_engine
async def test_no_former_name_is_left(engine: str, earlier: Place) -> None:
    """Indexes, sequences and constraints are named after the table."""
    await opened_history(earlier)
    names = {name for (name,) in run_sql(earlier, NAMES[engine])}
    assert names >= {"movements", "movements_by_product", "movements_by_undone", "movements_by_time"}
    assert [name for name in names if "level_changes" in name or "key_count" in name] == []


async def test_a_backup_of_version_18_is_restored(earlier: Path, tmp_path: Path) -> None:
    """A database of this version can be backed up, too; it is migrated when the service opens it."""
    backup, restored = tmp_path / "backup.db", tmp_path / "restored.db"
    summary = f"1 products, last changed at {NOON}, checked"
    assert back_up(earlier, backup, overwrite=False, now=LATER) == summary
    assert restore(backup, restored, aside=tmp_path / "aside.db", now=LATER) == summary
    assert len(await opened_history(restored)) == 3


@pytest.mark.each_engine
async def test_scans_find_the_products_of_version_21(
    engine: str, empty: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """Their codes of all kinds get the keys that scans compare, and the log says how far the migration is."""
    columns = (
        "product_code, description, category, unit_of_measure, created_at, updated_at, code_folded, description_folded"
    )
    products = [f"('{code}', 'x', '', 'pcs', '{NOON}', '{NOON}', '{code.lower()}', 'x')" for code in CODES]
    levels = "INSERT INTO levels (product_id, current_level, minimum_level, maximum_level, last_updated, updated_by) "
    levels += f"SELECT id, 5, 0, 0, '{NOON}', 'ada' FROM products;"  # noqa: S608 - literals
    made(empty, written(engine, 21, f"INSERT INTO products ({columns}) VALUES {', '.join(products)}; {levels}"))  # noqa: S608 - literals
    caplog.set_level(logging.INFO, "barcodesvc")
    async with open_database(empty) as database:
        resolver = Resolver(database, Clock())
        for code, scans in CODES.items():
            found = [(await resolver.resolve(scan)).code for scan in (code, *scans)]
            assert {(one.code, one.pack_quantity) for one in found} == {(code, 1)}
        created = await create_product(database, ProductDraft(product_code="new", description="x"), NOON)
        assert (created.id, created.retired) == (len(CODES) + 1, False)
    assert "migration: the codes of 8 products are stored" in caplog.messages
