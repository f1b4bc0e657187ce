"""The main function of a worker process: it reads jobs, runs one after another, and writes lines of JSON.

The service starts `main` and writes pickled jobs to its standard input. The process writes reports of the work, then
its result or failure, to its standard output. An untrusted file may compromise the process, so the service unpickles
nothing that comes back.

Rule: the process ignores SIGINT and SIGTERM, and exits when its standard input closes, that is, with the service.
"""

import importlib
import json
import os
import pickle
import resource
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import IO, Any

from barcodesvc.errors import ServiceError

_LENGTH = 8
"""Bytes of the length before a job."""
_REUSED = 31 << 20
"""Bytes of a block that is freed once, so that glibc reuses later ones up to this size. Without this, each image gets
the memory for its pixels from the system, which delays small ones."""


class Kind(StrEnum):
    """The kind of a message."""

    REPORTED = "reported"
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    OUT_OF_MEMORY = "out of memory"


def main(most_bytes: str, niceness: str, modules: str) -> None:
    """Run as the process, with this limit of memory and niceness, after importing these modules."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(int(niceness))
    resource.setrlimit(resource.RLIMIT_DATA, (int(most_bytes), int(most_bytes)))
    threading.Thread(target=_end_with_the_service, daemon=True).start()
    bytes(_REUSED)
    with os.fdopen(os.dup(1), "wb") as messages:
        os.dup2(2, 1)  # libraries print to standard error
        for name in filter(None, modules.split(",")):
            importlib.import_module(name)
        while length := sys.stdin.buffer.read(_LENGTH):
            run_job(sys.stdin.buffer.read(int.from_bytes(length, "big")), messages)


def framed(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Iterator[bytes]:
    """Yield the bytes of a job as `main` reads them: its length, then its pickle."""
    job = pickle.dumps((work, arguments))
    yield len(job).to_bytes(_LENGTH, "big")
    yield job


def run_job(job: bytes, messages: IO[bytes]) -> None:
    """Run a pickled job, and write its messages."""

    def say(kind: Kind, value: Any) -> None:
        messages.write(json.dumps((kind, value), default=str).encode() + b"\n")
        messages.flush()

    is_short = False
    try:
        work, arguments = pickle.loads(job)  # noqa: S301 - written by the service, which started this process
        result = work(lambda value: say(Kind.REPORTED, value), *arguments)
    except ServiceError as error:
        say(Kind.REFUSED, (type(error).__name__, error.message, error.headers, error.details))
    except MemoryError:
        is_short = True  # reported below, once the memory is free again
    except BaseException:  # noqa: BLE001 - the service logs it, even a SystemExit
        say(Kind.FAILED, traceback.format_exc())
    else:
        say(Kind.DONE, result)
    if is_short:
        say(Kind.OUT_OF_MEMORY, None)


def _end_with_the_service() -> None:
    jobs = select.poll()
    jobs.register(0, 0)  # only for its end
    jobs.poll()
    os._exit(1)
