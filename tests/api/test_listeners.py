"""Accepting connections: a busy event loop accepts many in each of its turns."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.server import LISTENERS, ServiceRunner
from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from barcodesvc.config import Settings

TURNS = 6
"""Turns of the loop, of which the last ones have nothing left to accept."""


async def accepted_in_few_turns(settings: Settings) -> int:
    """Return how many connections a service accepts in TURNS, of more than one listener could accept."""
    app = make_app(settings, Clock())
    runner = ServiceRunner(app)
    await runner.setup()
    try:
        address = urlsplit(await runner.listen(None))
        with ExitStack() as opened:
            for _ in range(2 * LISTENERS):
                opened.enter_context(socket.create_connection((address.hostname, address.port)))
            for _ in range(TURNS):
                await asyncio.sleep(0)
            return app[ADMISSION].connections
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(("limit", "accepted"), [(100, 2 * LISTENERS), (8, 4)])
def test_many_connections_are_accepted_in_a_turn(
    migrated_file: Path, tmp_path: Path, limit: int, accepted: int
) -> None:
    """With one for each turn, new clients would wait for minutes behind others; one peer gets half of the limit."""
    uvloop = pytest.importorskip("uvloop")
    database = tmp_path / "test.db"
    database.write_bytes(migrated_file.read_bytes())
    settings = Settings(database=database, port=0, max_connections=limit)
    assert uvloop.run(accepted_in_few_turns(settings)) == accepted
