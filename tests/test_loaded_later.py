"""What a start leaves out, and that it is there in time: seen in processes where nothing is loaded yet."""

from __future__ import annotations

import ast
import asyncio
import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from barcodesvc import loaded_later
from barcodesvc.loaded_later import PUT_OFF, load_the_rest

PACKAGE = Path(loaded_later.__file__).parent
HEAVY = {"borb", "openpyxl", "uharfbuzz", "xlrd"}
"""Libraries that take a good part of a second to load, and that no code, scan or booking needs."""

AT_THE_START = "import json, sys, barcodesvc.__main__; print(json.dumps(list(sys.modules)))"
THE_REST = """
import asyncio, gc, json, sys
from barcodesvc.loaded_later import load_the_rest
asyncio.run(load_the_rest())
print(json.dumps([gc.get_freeze_count(), list(sys.modules)]))
"""
A_SHEET_AT_ONCE = """
import asyncio, json
from barcodesvc.app import make_app
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheets import page_size, simple_sheet
from barcodesvc.loaded_later import load_the_rest
from barcodesvc.labels.print_job import PrintJob
from barcodesvc.labels.print_queue import PrintQueues
from barcodesvc.symbols.registry import find_symbology
async def printed():
    sheet = simple_sheet(page_size("A4"), 3, None)
    job = PrintJob(["A"], find_symbology("CODE128"), sheet, PrintSettings(), {}, {"A": 0})
    printer, loading = PrintQueues(), asyncio.create_task(load_the_rest())
    sheets = await asyncio.gather(*(printer.run(job) for _ in range(2)))
    await loading
    await printer.close()
    return [sheet[:5].decode() for sheet in sheets]
print(json.dumps(asyncio.run(printed())))
"""


def _told_by(script: str) -> Any:
    """Run a script in a new interpreter and return the JSON that it prints."""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603 - above
    assert ran.stderr == ""
    return json.loads(ran.stdout)


def _imported_by_functions(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of the house that functions import for themselves."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in (node for function in functions for node in ast.walk(function)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("barcodesvc."):
            yield node.module or ""


def test_a_start_loads_nothing_that_is_put_off() -> None:
    """A start loads neither the modules of the list nor the libraries that they are put off for."""
    modules = set(_told_by(AT_THE_START))
    assert "barcodesvc.app" in modules
    assert modules & set(PUT_OFF) == set()
    assert {module.partition(".")[0] for module in modules} & HEAVY == set()


def test_the_list_is_what_functions_import() -> None:
    """What a function imports for itself is loaded once the service listens, and nothing else is on the list."""
    trees = [ast.parse(module.read_text("utf-8")) for module in PACKAGE.rglob("*.py")]
    assert {module for tree in trees for module in _imported_by_functions(tree)} == set(PUT_OFF)


def test_the_rest_is_loaded_and_left_out_of_collections() -> None:
    """Afterwards all of the list is there, and the garbage collector does not walk it."""
    frozen, modules = _told_by(THE_REST)
    assert set(PUT_OFF) <= set(modules)
    assert frozen > 0


def test_a_sheet_that_comes_first_waits_for_no_more_than_itself() -> None:
    """Sheets that are asked for while all is being loaded are printed."""
    assert _told_by(A_SHEET_AT_ONCE) == ["%PDF-", "%PDF-"]


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """Return the names of two modules, of which the first one cannot be loaded."""
    (tmp_path / "broken_module.py").write_text("raise OSError")
    (tmp_path / "whole_module.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield "broken_module", "whole_module"
    sys.modules.pop("whole_module", None)
    gc.unfreeze()


async def test_a_module_that_cannot_be_loaded_is_told(
    caplog: pytest.LogCaptureFixture, modules: tuple[str, str]
) -> None:
    """It is named in the log, and those behind it are loaded all the same."""
    await load_the_rest(modules)
    assert caplog.messages == ["broken_module cannot be loaded now, and is tried when it is needed: OSError()"]
    assert "whole_module" in sys.modules


async def test_a_stop_leaves_the_rest_unloaded(modules: tuple[str, str]) -> None:
    """Who is cancelled loads no module beyond the one that is being loaded."""
    loading = asyncio.create_task(load_the_rest(modules))
    await asyncio.sleep(0)
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert "whole_module" not in sys.modules
