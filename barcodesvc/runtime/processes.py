"""Killable worker processes for untrusted files, with limits of time and memory.

    processes.run(ProcessLimits(seconds=10, bytes=...), work, *arguments, report=...)  # blocks; call it in a thread
    kept = processes.kept(ProcessLimits(seconds=2, bytes=...), modules)
    kept.run(work, *arguments, is_wanted=...)                                          # the same

Without them a hostile workbook or image could stop the service: a library takes all the time and memory that such a
file asks for, and in a thread it can neither be stopped nor kept from holding the interpreter lock.

A file that compromises its process finds no secret there: the environment contains neither the API key nor the
database's password, and results come back as JSON. The process has the rights of the service's user, though.

`run` starts a process for one job and frees all its memory afterwards. A kept process runs one job after another,
because starting one takes longer than reading a usual image; a file that compromises it can spoil later jobs.
The process's side is in `worker`.

Rule: work is a function of a module with picklable arguments. It reports and returns JSON, and refuses with a
ServiceError.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, cast

from barcodesvc import errors
from barcodesvc.clock import Clock
from barcodesvc.errors import GenerationFailure, ServiceError, Stopping
from barcodesvc.runtime.worker import Kind, framed

_LOG = logging.getLogger(__name__)

ENVIRONMENT = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "TMPDIR", "TZ")
"""The variables that a process gets: how Python starts and decodes file names, and the temporary folder."""
MOST_MESSAGE = 64 * 1024 * 1024
"""The maximum bytes of a line of output, a hundred times those of an import with a thousand wrong rows."""
NICE = 10
"""How much lower the priority of a process is than the service's, unless its limits say otherwise."""
_BOOT = "import sys; sys.path[:] = sys.argv[4:]; from barcodesvc.runtime.worker import main; main(*sys.argv[1:4])"
_STEADY = Clock().steady
"""Limits are in real time, even if a test sets the clock."""
_POLL_PAUSE = 0.05
"""Seconds between two checks that a job is still wanted."""
_START_WAIT = 60.0
"""Seconds that a process may take to load its modules, enough for a very busy machine."""

Report = Callable[[Any], None]
"""Receives what the work reports while it runs."""
IsWanted = Callable[[], bool]
"""Returns whether the result of a job is still wanted; called in a thread."""


class UnwantedError(Exception):
    """The result of a job was no longer wanted, so its process was killed."""


class _CutError(Exception):
    """The output ends early, because the process has ended."""


class _Failure(Exception):  # noqa: N818 - it is only logged
    """Carries the traceback of a process into the log."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Limits of a process: seconds for a job, bytes of memory, and its niceness relative to the service.

    The limit of memory is RLIMIT_DATA, which Linux enforces.
    """

    seconds: float
    bytes: int
    niceness: int = NICE


def always_wanted() -> bool:
    """Return that a result is wanted until the end."""
    return True


def _unreported(_: Any) -> None:
    """Ignore a report."""


class WorkerProcesses:
    """The processes of one service."""

    def __init__(self) -> None:
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_ending = False
        self._lock = threading.Lock()

    @property
    def running(self) -> int:
        """The number of processes that run a job or are kept."""
        return len(self._processes)

    def run(
        self,
        limits: ProcessLimits,
        work: Callable[..., Any],
        *arguments: Any,
        report: Report = _unreported,
        is_wanted: IsWanted = always_wanted,
    ) -> Any:
        """Run `work(report, *arguments)` in a new process, forward its reports, and return its result.

        Raises the ServiceError that it raises; GenerationFailure if it fails or its process is killed, with the
        cause in the log; Stopping while the service shuts down; TimeoutError and MemoryError if its process
        exceeds a limit; UnwantedError as soon as `is_wanted` returns False.
        """
        process = self.started(limits)
        try:
            kind, value = self.exchange(process, limits, _Job(work, arguments, report, is_wanted))
        finally:
            self.stop(process)
        return _concluded(work, kind, value)

    def kept(self, limits: ProcessLimits, modules: Sequence[str]) -> KeptProcess:
        """Return a process for short jobs; it starts with its first job and loads these modules first."""
        return KeptProcess(self, limits, modules)

    def end(self) -> None:
        """Kill all processes and start no more; their callers get Stopping."""
        with self._lock:
            self._is_ending = True
            for process in self._processes:
                process.kill()

    def started(self, limits: ProcessLimits, modules: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        """Return a new process, which the caller must `stop`; raises Stopping and GenerationFailure."""
        with self._lock:
            if self._is_ending:
                raise _shutting_down()
            process = _start(limits, modules)
            self._processes.add(process)
        return process

    def stop(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process, and wait for its end."""
        with self._lock:
            self._processes.discard(process)
        process.kill()
        for pipe in filter(None, (process.stdin, process.stdout)):
            with contextlib.suppress(BrokenPipeError):  # of a job that was not read
                pipe.close()
        process.wait()

    def exchange(self, process: subprocess.Popen[bytes], limits: ProcessLimits, job: _Job) -> tuple[Kind, Any]:
        """Send the job to the process, forward its reports, and return how it ended.

        Raises the reason why the process was killed, and GenerationFailure if it ended otherwise.
        """
        try:
            return _exchange(process, limits, job)
        except _CutError as error:
            raise (_shutting_down() if self._is_ending else _lost(process, job.work)) from error


class KeptProcess:
    """A process that runs one job after another; if a job has to be stopped, a new process replaces it."""

    def __init__(self, processes: WorkerProcesses, limits: ProcessLimits, modules: Sequence[str]) -> None:
        self._processes = processes
        self._limits = limits
        self._modules = modules
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._gives_way = False
        self.is_ready = False
        """Whether the process has loaded its modules."""

    @property
    def processor_seconds(self) -> float:
        """The processor time of the process, 0 without one; the clock's time if the system does not report it."""
        process = self._process
        if not process:
            return 0.0
        try:
            fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return _STEADY()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def start(self) -> subprocess.Popen[bytes]:
        """Return the process, started if it is not running, without waiting for its modules; for any thread."""
        if self._process and self._process.poll() is not None:
            self.end()
        with self._lock:
            self._process = self._process or self._processes.started(self._limits, self._modules)
            return self._process

    def prepare(self) -> None:
        """Start the process if it is not running, and wait until its modules are loaded; raises what `run` raises."""
        self._run(replace(self._limits, seconds=_START_WAIT), _Job(_is_there, (), _unreported, always_wanted))
        self.is_ready = True

    def run(self, work: Callable[..., Any], *arguments: Any, is_wanted: IsWanted = always_wanted) -> Any:
        """Do what `WorkerProcesses.run` does, without reports; for one thread at a time."""
        return self._run(self._limits, _Job(work, arguments, _unreported, is_wanted))

    def give_way(self) -> None:
        """Lower the priority of the process for the rest of its job, which its replacement does not inherit."""
        if self._process and not self._gives_way:
            self._gives_way = True
            os.setpriority(os.PRIO_PROCESS, self._process.pid, os.getpriority(os.PRIO_PROCESS, 0) + NICE)

    def end(self) -> None:
        """End the process; the next job starts another one."""
        with self._lock:
            process, self._process, self.is_ready, self._gives_way = self._process, None, False, False
        if process:
            self._processes.stop(process)

    def _run(self, limits: ProcessLimits, job: _Job) -> Any:
        process = self.start()
        try:
            kind, value = self._processes.exchange(process, limits, job)
        except BaseException:
            self._replace()
            raise
        if self._gives_way:
            self._replace()
        return _concluded(job.work, kind, value)

    def _replace(self) -> None:
        self.end()
        with contextlib.suppress(Stopping):
            self.start()  # loads its modules before the next job


@dataclass(frozen=True, slots=True)
class _Job:
    """Work for a process, and its callbacks."""

    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    report: Report
    is_wanted: IsWanted


def _is_there(_: Report) -> None:
    """Do nothing; a process that runs this is ready."""


def _start(limits: ProcessLimits, modules: Sequence[str]) -> subprocess.Popen[bytes]:
    options = (str(limits.bytes), str(limits.niceness), ",".join(modules))
    try:
        return subprocess.Popen(  # noqa: S603 - this interpreter, this package
            [sys.executable, "-c", _BOOT, *options, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
        )
    except OSError as error:
        _LOG.exception("no process could be started")
        raise GenerationFailure("the service could not start a process for this; try again in a moment") from error


def _exchange(process: subprocess.Popen[bytes], limits: ProcessLimits, job: _Job) -> tuple[Kind, Any]:
    """Send the job, forward its reports, and return how it ended.

    Raises the reason why it was killed, _CutError if the process ended otherwise, and GenerationFailure.
    """
    jobs, messages = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    with _watched(process, limits, job) as killed_for:
        try:
            jobs.writelines(framed(job.work, job.arguments))
            jobs.flush()
            kind, value = _message(messages, job.work)
            while kind == Kind.REPORTED:
                job.report(value)
                kind, value = _message(messages, job.work)
        except (_CutError, BrokenPipeError) as error:
            raise (killed_for[0] if killed_for else _CutError) from error
    if killed_for:  # while its last line arrived
        raise killed_for[0]
    return kind, value


@contextlib.contextmanager
def _watched(process: subprocess.Popen[bytes], limits: ProcessLimits, job: _Job) -> Iterator[Sequence[Exception]]:
    """Kill the process if its job takes too long or is no longer wanted; the yielded sequence has the reason."""
    deadline = _STEADY() + limits.seconds
    reasons: list[Exception] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(min(_POLL_PAUSE, max(0.0, deadline - _STEADY()))):
            if not job.is_wanted():
                reasons.append(UnwantedError(f"{job.work.__qualname__} is no longer wanted"))
            elif _STEADY() >= deadline:
                reasons.append(TimeoutError(f"{job.work.__qualname__} took longer than {limits.seconds:g} seconds"))
            if reasons:
                process.kill()
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield reasons
    finally:
        over.set()
        watcher.join()


def _concluded(work: Callable[..., Any], kind: Kind, value: Any) -> Any:
    """Return the result of finished work; raises its refusal, MemoryError or GenerationFailure."""
    if kind == Kind.DONE:
        return value
    if kind == Kind.REFUSED:
        try:
            raise rebuilt(*value)
        except (AttributeError, TypeError) as error:
            raise _nonsense(work) from error
    if kind == Kind.OUT_OF_MEMORY:
        raise MemoryError(f"{work.__qualname__} exceeded its limit of memory")
    _LOG.error("%s failed in its process", work.__qualname__, exc_info=_Failure(value))
    raise GenerationFailure("the service failed; the log says why")


def _message(messages: IO[bytes], work: Callable[..., Any]) -> tuple[Kind, Any]:
    """Return the next message; raises _CutError if there is none, GenerationFailure for an invalid one."""
    line = messages.readline(MOST_MESSAGE)
    if not line.endswith(b"\n") and len(line) < MOST_MESSAGE:
        raise _CutError
    try:
        kind, value = json.loads(line)
        return Kind(kind), value
    except (ValueError, TypeError, RecursionError) as error:
        raise _nonsense(work) from error


def _nonsense(work: Callable[..., Any]) -> GenerationFailure:
    _LOG.error("the process of %s sent an invalid message", work.__qualname__)
    return GenerationFailure("the service failed; the log says why")


def _lost(process: subprocess.Popen[bytes], work: Callable[..., Any]) -> GenerationFailure:
    status = process.wait()
    _LOG.error("process %d ended with status %d in the middle of %s", process.pid, status, work.__qualname__)
    return GenerationFailure("the process doing this ended early; try again")


def _shutting_down() -> Stopping:
    return Stopping("the service is shutting down", retry_after=5)


def rebuilt(kind: str, message: str, headers: dict[str, str], details: dict[str, Any]) -> ServiceError:
    """Return the error with which a process has refused its job."""
    named = getattr(errors, kind)
    if not issubclass(named, ServiceError):
        raise TypeError(f"{kind} is not a ServiceError")
    if details.keys() - {one.name for one in named.detail_fields()}:
        raise TypeError(f"{kind} does not have all of these details")
    error: ServiceError = named(message, **details)
    error.headers = headers
    return error
