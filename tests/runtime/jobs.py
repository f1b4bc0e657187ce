"""Jobs for worker processes; each process imports this module, so it loads no test library."""

import contextlib
import inspect
import os
import signal
import sys
import threading
import time
from pathlib import Path

from barcodesvc import errors
from barcodesvc.errors import InvalidContent, InvalidInput, Overload, ServiceError, field_problem
from barcodesvc.runtime.processes import Report


def squares(report: Report, number: int) -> list[int]:
    """Report each square, and return them all."""
    found = []
    for value in range(number):
        found.append(value * value)
        report(value * value)
    return found


def what_it_is(_: Report) -> tuple[int, int]:
    """Return the process's id and its niceness."""
    print("a library talks")  # noqa: T201 - must not be read as a message
    return os.getpid(), os.nice(0)


def refuse(_: Report, place: int) -> None:
    """Refuse with one of the errors below."""
    raise every_kind()[place]


def fail(_: Report) -> None:
    """Fail with an unexpected exception."""
    raise KeyError("a secret")


def leave(_: Report) -> None:
    """Exit, as a library should not."""
    raise SystemExit(7)


def wait_forever(report: Report) -> None:
    """Report the process's id, and never end."""
    report(os.getpid())
    threading.Event().wait()


def take_memory(_: Report, most: int) -> int:
    """Allocate this many bytes of memory, and return how many were allocated."""
    return len(bytearray(most))


def take_a_signal(report: Report) -> str:
    """Receive a signal that is meant for the service."""
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), number)
    report(None)
    return "still there"


def its_environment(_: Report) -> dict[str, str]:
    """Return the environment as a library sees it, and as the system shows it to others."""
    started_with = Path("/proc/self/environ").read_text(encoding="utf-8")
    return {**os.environ, **dict(entry.split("=", 1) for entry in started_with.split("\0") if entry)}


def forge(_: Report, message: bytes) -> None:
    """Send output as from a process that a hostile file controls."""
    for descriptor in range(3, 20):
        with contextlib.suppress(OSError):
            os.write(descriptor, message)
    os._exit(0)


def modules_of_it(_: Report) -> list[str]:
    """Return the names of the modules that the process has loaded."""
    return list(sys.modules)


def spend(_: Report, seconds: float) -> None:
    """Use the processor for this long."""
    while time.process_time() < seconds:
        pass


def every_kind() -> list[ServiceError]:
    """Return one error of every kind in the tree."""
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, ServiceError)]
    plain = [kind for kind in kinds if not issubclass(kind, Overload)]
    return [
        *(kind("said so", headers={"X": "1"}, **{one.name: [1] for one in kind.detail_fields()}) for kind in plain),
        *(kind("said so", retry_after=7) for kind in kinds if issubclass(kind, Overload)),
        InvalidContent("said so", rule="length", position=3, fits="8 digits"),
        InvalidInput.of(field_problem("sheet", "no such sheet", "x"), field_problem("map", "wrong")),
    ]
