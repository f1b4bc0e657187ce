"""The way of a change through the service, which a reader follows function by function."""

import asyncio
import inspect
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CoroutineType
from typing import Any

import pytest

import barcodesvc
from barcodesvc.store.script import Statement
from barcodesvc.store.sqlite import text_index
from barcodesvc.store.sqlite.connection import Statements
from tests.fixture_types import ClientMaker

PACKAGE = str(Path(barcodesvc.__file__).parent)
DOCUMENTED = Path(__file__).parents[3] / "docs" / "architecture.md"
MOST = 8


def waiting(task: asyncio.Task[Any]) -> Iterator[str]:
    """Yield the service's functions in which a task waits, the outermost first."""
    coroutine: Any = task.get_coro()
    while isinstance(coroutine, CoroutineType):
        if coroutine.cr_code.co_filename.startswith(PACKAGE):
            yield coroutine.__qualname__
        coroutine = coroutine.cr_await


async def test_few_functions_lead_from_a_request_to_its_first_statement(
    make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the request, of the group that commits it, and of the thread are the documented ones."""
    loop, way, run = asyncio.get_running_loop(), list[str](), Statements.result
    monkeypatch.setattr(text_index, "PAUSE", 3600.0)  # its changes go another way
    client = await make_client()
    await client.post("/api/products", json={"product_code": "A", "description": "x"})

    async def of_tasks() -> list[list[str]]:
        return sorted((list(waiting(task)) for task in asyncio.all_tasks()), key=len, reverse=True)

    def noting(statements: Statements, statement: Statement) -> Any:
        if not way:
            tasks = asyncio.run_coroutine_threadsafe(of_tasks(), loop).result()  # once all of them wait
            way.extend(name for names in tasks if any("Writer." in name for name in names) for name in names)
            thread = reversed([frame.f_code for frame, _ in traceback.walk_stack(inspect.currentframe())])
            way.extend(code.co_qualname for code in thread if code.co_filename.startswith(PACKAGE))
            way.append(run.__qualname__)
        return run(statements, statement)

    monkeypatch.setattr(Statements, "result", noting)
    assert (await client.put("/api/inventory/1", json={"new_level": 8})).status == 200
    assert len(way) == MOST
    assert f"{', '.join(f'`{name}`' for name in way[:-1])} and `{way[-1]}`" in " ".join(DOCUMENTED.read_text().split())
