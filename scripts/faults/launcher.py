"""The service as `python -m barcodesvc` starts it; it reports what it holds, and its libraries break on demand.

    python -m scripts.faults.launcher

On SIGUSR1 it prints one line of JSON: how many tasks its event loop has, how many threads Python knows, and how many
blocks of memory live objects have after a full garbage collection. Rendering, printing or exporting anything with a
name from FAULTS makes the library fail or hang instead.
"""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from barcodesvc import __main__ as service
from barcodesvc.catalogue import exporting
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.spreadsheets.write import csv_bytes

MODULE = "scripts.faults.launcher"
HANG = "HANG"


class PanicError(BaseException):
    """What a library written in Rust raises, which is not an Exception."""


FAULTS = {
    "MEMORY": MemoryError,
    "RECURSION": RecursionError,
    "EXIT": SystemExit,
    "STOP": StopIteration,
    "PANIC": PanicError,
}
"""What a code that begins with a name, or an exported text, makes the library raise."""


def _break_on(texts: Iterable[object]) -> None:
    for text in texts:
        name = str(text).partition("-")[0]
        if name == HANG:
            _hang()
        if name in FAULTS:
            raise FAULTS[name]


def _hang() -> NoReturn:
    while True:
        threading.Event().wait()


def _breaking(work: Callable[..., Any], texts: Callable[..., Iterable[object]]) -> Any:
    def break_or_work(*arguments: Any) -> Any:
        _break_on(texts(*arguments))
        return work(*arguments)

    return break_or_work


def _reported_on_signal(*_: object) -> None:
    gc.collect()
    blocks = sys.getallocatedblocks()
    counts = {"tasks": len(asyncio.all_tasks()), "threads": threading.active_count(), "blocks": blocks}
    print(json.dumps(counts), flush=True)


def main() -> int:
    """Serve until a signal, and return the status."""
    signal.signal(signal.SIGUSR1, _reported_on_signal)
    BarcodeKey.render = _breaking(BarcodeKey.render, lambda key: [key.content])  # type: ignore[method-assign]  # a fault
    run = _breaking(SheetJob.run, lambda job, *_: (code for code, *_ in job.request.entries()))
    SheetJob.run = run  # type: ignore[method-assign]  # a fault
    write_csv = _breaking(csv_bytes, lambda rows, *_: (text for row in rows for text in row))
    exporting.csv_bytes = write_csv  # type: ignore[attr-defined]  # a fault
    return service.main()


if __name__ == "__main__":
    sys.exit(main())
