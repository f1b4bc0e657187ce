"""Killable worker processes for strangers' files, each within limits of time and memory: one process a job.

    processes.run(Limits(seconds=10, bytes=...), work, *arguments, report=...)  # blocks; to be called in a thread

A user would lose the service beside a hostile workbook or image: libraries take what such a file asks for, and in a
thread they can neither be stopped nor kept from the interpreter lock.

The process starts this file's `main`, which reads the job from its standard input and writes pickled messages to its
standard output: what the work reports on its way, then what it returned or how it failed. It has low priority (nice
10), leaves signals to the service, and ends when its standard input does: that is, with the service, however that ends.
Measured, its first batch of rows comes some 0.5 s later than a thread's, little beside the 14 s of 100,000 rows; kept
warm, a process would keep the memory of its job, 85 MB then.

Rule: work is a function of a module, its arguments and results can be pickled, and it refuses with a ServiceError.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

from barcodesvc.errors import GenerationFailure, RenderOverload, ServiceError

_LOG = logging.getLogger(__name__)

NICE = 10
_BOOT = "import sys; sys.path[:] = sys.argv[2:]; from barcodesvc.runtime.processes import main; main(sys.argv[1])"
_REPORTED, _DONE, _REFUSED, _FAILED, _OUT_OF_MEMORY = range(5)
_CUT = (EOFError, pickle.UnpicklingError, BrokenPipeError)
"""What writing the job and reading messages raise when the process ends meanwhile."""

Report = Callable[[Any], None]
"""Takes what the work reports on its way."""


class _Failure(Exception):  # noqa: N818 - it is only logged
    """Carries the traceback of a process into the log."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a process may take: seconds from its start, and bytes of memory of its own.

    The system has to know a limit of memory for data, RLIMIT_DATA; Linux does.
    """

    seconds: float
    bytes: int


class WorkerProcesses:
    """The processes at work for one service."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._ending = False
        self._lock = threading.Lock()

    @property
    def running(self) -> int:
        """How many processes are at work."""
        return len(self._running)

    def run(self, limits: Limits, work: Callable[..., Any], *arguments: Any, report: Report) -> Any:
        """Run `work(report, *arguments)` in a new process, pass on what it reports, and return what it returns.

        Raises the ServiceError that it raises; GenerationFailure if it fails or its process is killed, with the
        cause in the log; RenderOverload once the service is shutting down; TimeoutError and MemoryError if its process
        exceeds a limit.
        """
        with self._started(limits, work) as process, _killed_after(process, limits.seconds) as is_late:
            try:
                return _outcome(process, work, arguments, report)
            except _CUT as error:
                if self._ending:
                    raise _shutting_down() from error
                if is_late.is_set():
                    raise TimeoutError(f"{work.__qualname__} took longer than {limits.seconds:g} seconds") from error
                raise _lost(process, work) from error

    def end(self) -> None:
        """Kill every process at work and let no work begin or go on; those who wait for it get RenderOverload."""
        with self._lock:
            self._ending = True
            for process in self._running:
                process.kill()

    @contextlib.contextmanager
    def _started(self, limits: Limits, work: Callable[..., Any]) -> Iterator[subprocess.Popen[bytes]]:
        with self._lock:
            self._refuse_at_the_end()
            process = _start(limits, work)
            self._running.add(process)
        try:
            yield process
        finally:
            with self._lock:
                self._running.discard(process)
            process.kill()
            _close(process)
            process.wait()

    def _refuse_at_the_end(self) -> None:
        if self._ending:
            raise _shutting_down()


def _start(limits: Limits, work: Callable[..., Any]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _BOOT, str(limits.bytes), *sys.path]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - this interpreter, this package
    except OSError as error:
        _LOG.exception("no process could be started for %s", work.__qualname__)
        raise GenerationFailure("the service could not start a process for this; try again in a moment") from error


@contextlib.contextmanager
def _killed_after(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Kill the process if it is at work for so long; the event says whether it was."""
    late = threading.Event()

    def kill() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(seconds, kill)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in filter(None, (process.stdin, process.stdout)):
        with contextlib.suppress(BrokenPipeError):  # a job that nobody has read
            pipe.close()


def _outcome(
    process: subprocess.Popen[bytes], work: Callable[..., Any], arguments: tuple[Any, ...], report: Report
) -> Any:
    jobs, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)  # both were asked for
    pickle.dump((work, arguments), jobs)
    jobs.flush()
    while True:
        kind, value = pickle.load(answers)  # noqa: S301 - written by our own process, through a pipe of our own
        if kind == _REPORTED:
            report(value)
        elif kind == _DONE:
            return value
        elif kind == _REFUSED:
            raise rebuilt(*value)
        elif kind == _OUT_OF_MEMORY:
            raise MemoryError(f"{work.__qualname__} needed more memory than it may take")
        else:
            _LOG.error("%s failed in its process", work.__qualname__, exc_info=_Failure(value))
            raise GenerationFailure("the service failed; the log says why")


def _lost(process: subprocess.Popen[bytes], work: Callable[..., Any]) -> GenerationFailure:
    status = process.wait()
    _LOG.error("process %d ended with status %d in the middle of %s", process.pid, status, work.__qualname__)
    return GenerationFailure("the process that did this broke off; try again")


def _shutting_down() -> RenderOverload:
    return RenderOverload("the service is shutting down", retry_after=5)


def rebuilt(kind: type[ServiceError], message: str, headers: dict[str, str], details: dict[str, Any]) -> ServiceError:
    """Return the error that a process has refused its job with."""
    error = kind.__new__(kind)
    ServiceError.__init__(error, message, headers=headers, **details)  # kinds have constructors of their own
    return error


def main(most_bytes: str) -> None:
    """Be the process: answer the one job on standard input, in so many bytes of memory, then end."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_DATA, (int(most_bytes), int(most_bytes)))
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # what a library prints is no message
        answer_job(sys.stdin.buffer, answers, _end_with_the_service)
    os._exit(0)


def answer_job(jobs: IO[bytes], answers: IO[bytes], begun: Callable[[], None]) -> None:
    """Read one job, run it, and write what becomes of it; `begun` is called in between."""

    def say(kind: int, value: Any) -> None:
        pickle.dump((kind, value), answers)
        answers.flush()

    is_short = False
    try:
        work, arguments = pickle.load(jobs)  # noqa: S301 - written by the service, which started this process
        begun()
        result = work(lambda value: say(_REPORTED, value), *arguments)
    except ServiceError as error:
        say(_REFUSED, (type(error), error.message, error.headers, error.details))
    except MemoryError:
        is_short = True  # it is said below, where the memory that was taken is free again
    except BaseException:  # noqa: BLE001 - whatever it is, a SystemExit too, the service has to log it
        say(_FAILED, traceback.format_exc())
    else:
        say(_DONE, result)
    if is_short:
        say(_OUT_OF_MEMORY, None)


def _end_with_the_service() -> None:
    threading.Thread(target=_wait_for_the_end, daemon=True).start()


def _wait_for_the_end() -> None:
    os.read(0, 1)  # nothing more is ever written: it returns when the service is gone
    os._exit(1)
