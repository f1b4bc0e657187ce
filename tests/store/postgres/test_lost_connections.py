"""Connections that are lost at any moment and on either event loop: work is repeated on another one."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import pytest
import uvloop

pytest.importorskip("asyncpg")

from barcodesvc.addresses import ServerAddress
from barcodesvc.errors import BackupError, DatabaseFailure
from barcodesvc.models import ProductDraft
from barcodesvc.store.copying import Batch
from barcodesvc.store.limits import DatabaseLimits
from barcodesvc.store.lists import bounds_of_retired
from barcodesvc.store.postgres.copying import open_target
from barcodesvc.store.postgres.database import PostgresDatabase, open_database
from barcodesvc.store.postgres.queries import QUERIES, NumberedQuery
from barcodesvc.store.postgres.staging import staging_file
from barcodesvc.store.script import Script, one, rows
from barcodesvc.store.staging import StagedRows, ValidRow
from tests.engines import answered, in_thread
from tests.servers.postgres import PostgresServer

COUNTING = {**QUERIES, "count_rows": NumberedQuery("SELECT COUNT(*) FROM staged_rows", ())}
SOCKET = ".s.PGSQL.5432"
NewLoop = Callable[[], asyncio.AbstractEventLoop]
TURNS = range(4)
"""Turns of the event loop since a connection was lost; work in a separate task takes one more."""
ROWS = (1, 4_000)
"""A few that are sent at once, and more than a connection buffers before the server reads."""
WAITS = (0.0, 0.3)
"""Seconds for which it accepts no more data before it is lost."""

on_both_loops = pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
"""uvloop reports a lost connection differently from asyncio."""


def staged_file(path: Path, number: int = 1) -> Path:
    """Return a file with the rows of an import."""
    path.touch()
    with staging_file(path) as file:
        drafts = (ProductDraft(product_code=f"A-{each}", description="x" * 200) for each in range(number))
        StagedRows(file).put([ValidRow(row, draft, frozenset({"description"})) for row, draft in enumerate(drafts)])
    return path


@dataclass(slots=True)
class Relay:
    """Relays between a server and its clients, and stops reading from the first client that begins a COPY.

    It disconnects that one `wait` seconds later.
    """

    address: str
    server: str
    wait: float
    cut: int = 0

    async def pass_on(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        """Serve one client."""
        server, to_server = await asyncio.open_unix_connection(self.server)
        answers = asyncio.create_task(self._answers(server, to_client))
        try:
            while data := await client.read(1 << 16):
                if b"COPY" in data and not self.cut:
                    self.cut += 1
                    await asyncio.sleep(self.wait)
                    break
                to_server.write(data)
        finally:
            answers.cancel()
            to_server.close()
            to_client.close()

    async def _answers(self, server: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        while data := await server.read(1 << 16):
            to_client.write(data)
        to_client.close()


@asynccontextmanager
async def relayed(server: PostgresServer, folder: Path, wait: float) -> AsyncIterator[Relay]:
    """Serve the database of a server through a relay, on a separate socket."""
    with TemporaryDirectory(prefix="relay-") as own:
        address = server.address().replace(quote(str(folder)), quote(own))
        relay = Relay(address, str(folder / SOCKET), wait)
        async with await asyncio.start_unix_server(relay.pass_on, f"{own}/{SOCKET}"):
            yield relay


def end_connections(server: PostgresServer) -> None:
    """End all connections to a database, while the event loop polls none of them."""
    ending = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'barcodesvc'"
    in_thread(answered(server.address(), ending))


def change_of_nothing() -> Script[None]:
    """Run a change that changes nothing."""
    yield one("get_level", product_id=1)


def count_rows() -> Script[int]:
    """Return how many rows are staged for the change."""
    [[number]] = yield rows("count_rows")
    return int(number)


async def look_around(database: PostgresDatabase, _: Path) -> None:
    """Read from a snapshot."""
    async with database.snapshot() as snapshot:
        await snapshot.rows("list_levels", limit=1, **bounds_of_retired("false"))


USES: list[Callable[[PostgresDatabase, Path], Awaitable[Any]]] = [
    lambda database, _: database.rows("list_levels", limit=1, **bounds_of_retired("false")),
    lambda database, _: database.scan_row("ping"),
    lambda database, _: database.change(change_of_nothing),
    lambda database, path: database.change_long(change_of_nothing, staged=path),
    look_around,
]


@on_both_loops
def test_a_connection_that_has_just_gone_costs_nothing(server: PostgresServer, tmp_path: Path, loop: NewLoop) -> None:
    """Work that meets it is repeated on another one."""
    staged = staged_file(tmp_path / "staged")

    async def meet() -> None:
        async with open_database(ServerAddress(server.address())) as database:
            for use, turns in product(USES, TURNS):
                await use(database, staged)
                end_connections(server)
                for _ in range(turns):
                    await asyncio.sleep(0)
                await use(database, staged)

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(meet())


@on_both_loops
def test_an_end_without_connections_is_quiet(
    server: PostgresServer, loop: NewLoop, caplog: pytest.LogCaptureFixture
) -> None:
    """A service that stops after its server logs no failure, and raises none."""
    caplog.set_level(logging.INFO)

    async def end(turns: int) -> None:
        async with open_database(ServerAddress(server.address())) as database:
            await database.change(change_of_nothing)
            end_connections(server)
            for _ in range(turns):
                await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=loop) as runner:
        for turns in TURNS:
            runner.run(end(turns))
    assert caplog.messages == []


@on_both_loops
@pytest.mark.parametrize(("number", "wait"), list(product(ROWS, WAITS)))
def test_an_import_that_loses_its_connection_is_made_on_another_one(  # noqa: PLR0913, PLR0917 - two fixtures of a server
    server: PostgresServer, folder: Path, tmp_path: Path, loop: NewLoop, number: int, wait: float
) -> None:
    """This holds however many rows are still to be sent, and whether or not the connection accepts data just then."""

    async def lose() -> int:
        async with (
            relayed(server, folder, wait) as relay,
            open_database(ServerAddress(relay.address), queries=COUNTING) as database,
            asyncio.timeout(30),
        ):
            counted = await database.change_long(count_rows, staged=staged_file(tmp_path / "staged", number))
            assert relay.cut == 1
            return counted

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(lose()) == number


@on_both_loops
def test_an_import_waits_for_a_server_that_takes_no_rows_as_long_as_for_a_statement(
    server: PostgresServer, folder: Path, tmp_path: Path, loop: NewLoop
) -> None:
    """Then it fails, and the next import has its turn."""

    async def wait() -> None:
        bounds = DatabaseLimits(statement_timeout=1)
        async with (
            relayed(server, folder, 10) as relay,
            open_database(ServerAddress(relay.address), limits=bounds, queries=COUNTING) as database,
            asyncio.timeout(30),
        ):
            with pytest.raises(DatabaseFailure):
                await database.change_long(count_rows, staged=staged_file(tmp_path / "staged", max(ROWS)))
            await database.change_long(change_of_nothing)

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(wait())


@on_both_loops
def test_a_copy_that_loses_its_connection_fails(server: PostgresServer, folder: Path, loop: NewLoop) -> None:
    """This holds even if more is to be sent than a connection buffers."""
    products = [(number, f"A-{number}", "x" * 300) for number in range(1, max(ROWS))]

    async def lose() -> None:
        async with (
            relayed(server, folder, 0.3) as relay,
            asyncio.timeout(30),
            open_target(ServerAddress(relay.address)) as target,
        ):
            await target.insert("products", Batch(("id", "product_code", "description"), products))

    with asyncio.Runner(loop_factory=loop) as runner, pytest.raises(BackupError, match="connection"):
        runner.run(lose())
