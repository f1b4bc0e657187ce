import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

import psutil
import pytest

from barcodesvc.errors import GenerationFailure, InvalidInput, Stopping
from barcodesvc.runtime.processes import (
    ENVIRONMENT,
    NICE,
    KeptProcess,
    ProcessLimits,
    UnwantedError,
    WorkerProcesses,
    rebuilt,
)
from barcodesvc.runtime.worker import run_job
from tests.runtime.jobs import (
    every_kind,
    fail,
    forge,
    its_environment,
    leave,
    modules_of_it,
    refuse,
    spend,
    squares,
    take_a_signal,
    take_memory,
    wait_forever,
    what_it_is,
)
from tests.sweeps import sweep

AMPLE = ProcessLimits(seconds=60, bytes=1 << 30)
BRIEF_WAIT = 10.0
"""Seconds after which a test stops waiting for an event that must happen."""


def unseen(_: Any) -> None:
    """Discard a report."""


@pytest.fixture
def processes() -> Iterator[WorkerProcesses]:
    """Return processes that are ended after the test."""
    processes = WorkerProcesses()
    yield processes
    processes.end()


def test_work_runs_elsewhere_and_reports_on_its_way(processes: WorkerProcesses) -> None:
    """Its reports arrive in order, then its result; it has a lower priority than the service, and has ended by then."""
    reported: list[int] = []
    assert processes.run(AMPLE, squares, 4, report=reported.append) == reported == [0, 1, 4, 9]
    process, niceness = processes.run(AMPLE, what_it_is, report=unseen)
    assert process != os.getpid()
    assert niceness == min(os.nice(0) + NICE, 19)
    assert not psutil.pid_exists(process)


def test_a_process_gets_no_secret(processes: WorkerProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment contains only what Python needs to start and the folder for temporary files."""
    monkeypatch.setenv("BARCODESVC_API_KEY", "a secret")
    monkeypatch.setenv("BARCODESVC_DATABASE", "postgresql://shop:secret@localhost/shop")
    monkeypatch.setenv("PGPASSWORD", "secret")
    monkeypatch.setenv("TMPDIR", "/tmp")  # noqa: S108 - it is only looked at
    environment = processes.run(AMPLE, its_environment, report=unseen)
    assert set(environment) <= {*ENVIRONMENT, "LC_CTYPE"}
    assert environment["TMPDIR"] == "/tmp"  # noqa: S108 - as above


@sweep(
    "message",
    [
        b"no JSON\n",
        b"[]\n",
        b'["done"]\n',
        b'["other", 1]\n',
        b'["refused", ["SystemExit", "x", {}, {}]]\n',
        b'["refused", ["Any", "x", {}, {}]]\n',
        b'["refused", ["InvalidInput", "x", {}, {"headers": 1}]]\n',
        b'["refused", 7]\n',
        b"[" * 100_000 + b"\n",
        pickle.dumps(print) + b"\n",
    ],
)
def test_an_invalid_message_is_a_failure(
    processes: WorkerProcesses, caplog: pytest.LogCaptureFixture, message: bytes
) -> None:
    """Output of a process that a hostile file controls only fails the job."""
    caplog.clear()
    with pytest.raises(GenerationFailure):
        processes.run(AMPLE, forge, message, report=unseen)
    assert [record.getMessage() for record in caplog.records] == ["the process of forge sent an invalid message"]


def test_an_endless_message_is_a_failure(processes: WorkerProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service stops reading at the maximum length, and ends the process."""
    monkeypatch.setattr("barcodesvc.runtime.processes.MOST_MESSAGE", 1000)
    with pytest.raises(GenerationFailure):
        processes.run(AMPLE, forge, b"x" * 2000, report=unseen)


def test_a_refusal_crosses_unharmed() -> None:
    """Kind, message, headers and details are preserved, for every kind in the tree (the job runs here)."""
    for place, error in enumerate(every_kind()):
        messages = BytesIO()
        run_job(pickle.dumps((refuse, (place,))), messages)
        raised = rebuilt(*json.loads(messages.getvalue())[1])
        assert type(raised) is type(error)
        assert (raised.message, raised.headers, raised.details) == (error.message, error.headers, error.details)
        assert str(raised) == str(error)


def test_a_refusal_is_raised_by_the_caller(processes: WorkerProcesses) -> None:
    """`run` raises the error that was sent through the pipe."""
    with pytest.raises(InvalidInput, match="no such sheet"):
        processes.run(AMPLE, refuse, len(every_kind()) - 1, report=unseen)


@pytest.mark.parametrize(
    ("work", "cause"), [(fail, "KeyError: 'a secret'"), (leave, "SystemExit: 7")], ids=["failure", "exit"]
)
def test_an_unforeseen_failure_is_logged_here(
    processes: WorkerProcesses, caplog: pytest.LogCaptureFixture, work: Callable[..., Any], cause: str
) -> None:
    """The service's log has the traceback, even of work that would end its process; the caller does not see it."""
    with pytest.raises(GenerationFailure, match="the log says why"):
        processes.run(AMPLE, work, report=unseen)
    assert cause in caplog.text


def test_a_killed_process_is_one_failure(processes: WorkerProcesses, caplog: pytest.LogCaptureFixture) -> None:
    """One line of the log reports it, and the next job gets a process."""

    def kill(process: int) -> None:
        os.kill(process, signal.SIGKILL)

    with pytest.raises(GenerationFailure, match="try again"):
        processes.run(AMPLE, wait_forever, report=kill)
    [record] = caplog.records
    assert record.getMessage().endswith(" ended with status -9 in the middle of wait_forever")
    assert processes.run(AMPLE, squares, 2, report=unseen) == [0, 1]


def test_signals_are_left_to_the_service(processes: WorkerProcesses) -> None:
    """Ctrl-C reaches every process of a terminal; the service decides what happens to the work."""
    assert processes.run(AMPLE, take_a_signal, report=unseen) == "still there"


@pytest.mark.parametrize(
    "why", [TimeoutError, UnwantedError, LookupError], ids=["late", "of no use", "a failed report"]
)
def test_work_that_is_broken_off_ends_its_process(
    processes: WorkerProcesses, caplog: pytest.LogCaptureFixture, why: type[Exception]
) -> None:
    """Nothing is logged: only the caller knows what it means, and a client may disconnect."""
    begun: list[int] = []

    def report(process: int) -> None:
        begun.append(process)
        if why is LookupError:
            raise why

    limits = ProcessLimits(1 if why is TimeoutError else AMPLE.seconds, AMPLE.bytes)
    with pytest.raises(why):
        processes.run(limits, wait_forever, report=report, is_wanted=lambda: not begun or why is not UnwantedError)
    assert not any(map(psutil.pid_exists, begun))
    assert caplog.records == []


def test_work_that_takes_too_much_memory_is_refused(
    processes: WorkerProcesses, caplog: pytest.LogCaptureFixture
) -> None:
    """The caller gets a MemoryError, and smaller work succeeds."""
    limits = ProcessLimits(AMPLE.seconds, 300 << 20)
    assert processes.run(limits, take_memory, 100 << 20, report=unseen) == 100 << 20
    with pytest.raises(MemoryError, match="take_memory exceeded its limit of memory"):
        processes.run(limits, take_memory, 400 << 20, report=unseen)
    assert caplog.records == []


@pytest.fixture
def kept(processes: WorkerProcesses) -> Iterator[KeptProcess]:
    """Return a kept process with the service's priority."""
    kept = processes.kept(ProcessLimits(seconds=6, bytes=1 << 30, niceness=0), ["colorsys"])
    yield kept
    kept.end()


def test_a_kept_process_does_one_job_after_the_other(processes: WorkerProcesses, kept: KeptProcess) -> None:
    """Starting it and waiting until it has loaded its modules are two steps; its priority is that of its limits."""
    assert processes.running == 0
    kept.start()
    assert (processes.running, kept.is_ready) == (1, False)
    kept.prepare()
    assert (processes.running, kept.is_ready) == (1, True)
    assert "colorsys" in kept.run(modules_of_it)
    first, second = (kept.run(what_it_is) for _ in range(2))
    assert first == second == [first[0], os.nice(0)]
    assert processes.running == 1


def test_a_kept_process_says_what_it_has_cost(kept: KeptProcess) -> None:
    """Its processor time counts, not the time that it waited for the processor."""
    assert kept.processor_seconds == 0
    kept.run(spend, 0.3)
    assert 0.25 <= kept.processor_seconds < 0.6


def niceness(_: object) -> int:
    """Return the niceness of the process."""
    return os.getpriority(os.PRIO_PROCESS, 0)


def test_a_process_that_gave_way_is_replaced(kept: KeptProcess) -> None:
    """Its priority is lower until the end of its job, and the next job has the usual one again."""
    kept.prepare()
    usual = kept.run(niceness)
    kept.give_way()
    assert (kept.run(niceness), kept.run(niceness)) == (usual + NICE, usual)


def test_a_refusal_leaves_a_kept_process(kept: KeptProcess, caplog: pytest.LogCaptureFixture) -> None:
    """An error that a file causes does not affect the next job."""
    [process, _] = kept.run(what_it_is)
    with pytest.raises(InvalidInput):
        kept.run(refuse, len(every_kind()) - 1)
    with pytest.raises(GenerationFailure):
        kept.run(fail)
    assert kept.run(what_it_is)[0] == process
    assert "KeyError: 'a secret'" in caplog.text


@pytest.mark.parametrize(
    ("work", "arguments", "raised"),
    [
        (wait_forever, (), UnwantedError),
        (forge, (b"no JSON\n",), GenerationFailure),
        (forge, (b"",), GenerationFailure),
    ],
    ids=["of no use", "forged", "ended"],
)
def test_a_kept_process_that_was_ended_is_replaced(
    kept: KeptProcess, work: Callable[..., Any], arguments: tuple[Any, ...], raised: type[Exception]
) -> None:
    """Another one loads its modules at once, and runs the next job."""
    kept.prepare()
    [process, _] = kept.run(what_it_is)
    before = _children()
    with pytest.raises(raised):
        kept.run(work, *arguments, is_wanted=lambda: work is not wait_forever)
    assert not psutil.pid_exists(process)
    [replacement] = _children() - before
    assert not kept.is_ready
    assert kept.run(what_it_is)[0] == replacement


def _children() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


def test_a_kept_process_that_was_killed_between_jobs_is_replaced(kept: KeptProcess) -> None:
    """The next job does not fail."""
    [process, _] = kept.run(what_it_is)
    os.kill(process, signal.SIGKILL)
    psutil.Process(process).wait(BRIEF_WAIT)
    assert kept.run(what_it_is)[0] != process


def test_a_shutdown_ends_kept_processes(processes: WorkerProcesses, kept: KeptProcess) -> None:
    """The job that one runs is stopped, and no other process replaces it."""
    kept.prepare()
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(kept.run, spend, 60.0)
        processes.end()
        with pytest.raises(Stopping):
            running.result(BRIEF_WAIT)
    with pytest.raises(Stopping):
        kept.run(what_it_is)
    assert processes.running == 0


def test_an_end_kills_what_runs(processes: WorkerProcesses) -> None:
    """Waiting callers get the shutdown error, and so do later ones."""
    begun = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(processes.run, AMPLE, wait_forever, report=lambda _: begun.set())
        assert begun.wait(BRIEF_WAIT)
        processes.end()
        with pytest.raises(Stopping):
            running.result(BRIEF_WAIT)
    with pytest.raises(Stopping):
        processes.run(AMPLE, squares, 1, report=unseen)


def test_a_start_that_fails_is_reported(processes: WorkerProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an interpreter to start there is no process (the system's own refusal cannot be provoked)."""
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(GenerationFailure, match="could not start a process"):
        processes.run(AMPLE, squares, 1, report=unseen)


ORPHAN = """
from tests.runtime.jobs import wait_forever
from barcodesvc.runtime.processes import ProcessLimits, WorkerProcesses
limits = ProcessLimits(seconds=60, bytes=1 << 30)
WorkerProcesses().run(limits, wait_forever, report=lambda process: print(process, flush=True))
"""


def test_a_process_ends_with_its_service() -> None:
    """A service that is killed leaves no process running."""
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(  # noqa: S603 - this interpreter, the text above
        [sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    ) as service:
        assert service.stdout
        orphan = psutil.Process(int(service.stdout.readline()))
        service.kill()
        assert orphan.wait(BRIEF_WAIT) is None
