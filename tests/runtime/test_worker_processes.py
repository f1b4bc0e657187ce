from __future__ import annotations

import inspect
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

from barcodesvc import errors
from barcodesvc.errors import (
    FieldProblem,
    GenerationFailure,
    InvalidContent,
    InvalidInput,
    Overload,
    RenderOverload,
    ServiceError,
)
from barcodesvc.runtime.processes import NICE, Limits, Report, WorkerProcesses, answer_job, rebuilt

AMPLE = Limits(seconds=60, bytes=1 << 30)
BRIEF_WAIT = 10.0
"""Seconds after which a test gives up on an event that has to come."""


def squares(report: Report, number: int) -> list[int]:
    """Report each square, and return them all."""
    found = []
    for value in range(number):
        found.append(value * value)
        report(value * value)
    return found


def what_it_is(_: Report) -> tuple[int, int]:
    """Return the process's id and its niceness."""
    print("a library talks")  # noqa: T201 - what must not be taken for a message
    return os.getpid(), os.nice(0)


def refuse(_: Report, place: int) -> None:
    """Refuse with one of the errors below."""
    raise every_kind()[place]


def fail(_: Report) -> None:
    """Fail as no work should."""
    raise KeyError("a secret")


def leave(_: Report) -> None:
    """End as no library should."""
    raise SystemExit(7)


def wait_for_ever(report: Report) -> None:
    """Report the process's id, and never end."""
    report(os.getpid())
    threading.Event().wait()


def take_memory(_: Report, most: int) -> int:
    """Take so many bytes of memory, and return how many it has got."""
    return len(bytearray(most))


def take_a_signal(report: Report) -> str:
    """Get a signal that is meant for the service."""
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), number)
    report(None)
    return "still there"


def unseen(_: Any) -> None:
    """Take what is reported and drop it."""


@pytest.fixture
def processes() -> Iterator[WorkerProcesses]:
    """Return processes that are ended after the test."""
    processes = WorkerProcesses()
    yield processes
    processes.end()


def test_work_runs_elsewhere_and_reports_on_its_way(processes: WorkerProcesses) -> None:
    """What it reports comes in order, then its result; it gives way to the service, and is gone then."""
    reported: list[int] = []
    assert processes.run(AMPLE, squares, 4, report=reported.append) == reported == [0, 1, 4, 9]
    process, niceness = processes.run(AMPLE, what_it_is, report=unseen)
    assert process != os.getpid()
    assert niceness == os.nice(0) + NICE
    assert not psutil.pid_exists(process)


def every_kind() -> list[ServiceError]:
    """Return one error of every kind in the tree."""
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, ServiceError)]
    plain = [kind for kind in kinds if kind is not InvalidContent and not issubclass(kind, Overload)]
    return [
        *(kind("said so", headers={"X": "1"}, detail=[1]) for kind in plain),
        *(kind("said so", retry_after=7, detail=[1]) for kind in kinds if issubclass(kind, Overload)),
        InvalidContent("said so", rule="length", position=3, fits="8 digits"),
        InvalidInput.of(FieldProblem("sheet", "no such sheet", "x"), FieldProblem("map", "wrong")),
    ]


def test_a_refusal_crosses_unharmed() -> None:
    """Kind, message, headers and details are what they were, for every kind of the tree."""
    for place, error in enumerate(every_kind()):
        [(_, value)] = answered(refuse, place)
        raised = rebuilt(*value)
        assert type(raised) is type(error)
        assert (raised.message, raised.headers, raised.details) == (error.message, error.headers, error.details)
        assert str(raised) == str(error)


def answered(work: Callable[..., Any], *arguments: Any) -> list[tuple[int, Any]]:
    """Return the messages of a job that is answered here, without a process."""
    answers = BytesIO()
    answer_job(BytesIO(pickle.dumps((work, arguments))), answers, lambda: None)
    answers.seek(0)
    messages = []
    while answers.tell() < len(answers.getvalue()):
        messages.append(pickle.load(answers))  # noqa: S301 - written just now
    return messages


def test_a_job_is_answered_by_messages() -> None:
    """What is reported on the way, then the result, or the traceback of a failure."""
    assert [value for _, value in answered(squares, 3)] == [0, 1, 4, [0, 1, 4]]
    [(_, failed)] = answered(fail)
    assert "KeyError: 'a secret'" in failed


def test_a_refusal_is_raised_by_the_caller(processes: WorkerProcesses) -> None:
    """The error comes out of `run` as it went into the pipe."""
    with pytest.raises(InvalidInput) as refusal:
        processes.run(AMPLE, refuse, len(every_kind()) - 1, report=unseen)
    assert refusal.value.details == every_kind()[-1].details


def test_an_unforeseen_failure_is_logged_here(processes: WorkerProcesses, caplog: pytest.LogCaptureFixture) -> None:
    """The traceback stands in the service's log; the caller learns nothing of it."""
    with pytest.raises(GenerationFailure, match="the log says why"):
        processes.run(AMPLE, fail, report=unseen)
    assert "KeyError: 'a secret'" in caplog.text


def test_work_that_would_end_its_process_is_a_failure(
    processes: WorkerProcesses, caplog: pytest.LogCaptureFixture
) -> None:
    """A SystemExit is reported with its traceback, as any other failure is."""
    with pytest.raises(GenerationFailure, match="the log says why"):
        processes.run(AMPLE, leave, report=unseen)
    assert "SystemExit: 7" in caplog.text


def test_a_killed_process_is_one_failure(processes: WorkerProcesses, caplog: pytest.LogCaptureFixture) -> None:
    """It is reported in one line of the log, and the next job finds a process."""

    def kill(process: int) -> None:
        os.kill(process, signal.SIGKILL)

    with pytest.raises(GenerationFailure, match="try again"):
        processes.run(AMPLE, wait_for_ever, report=kill)
    assert [record.getMessage().partition("ended")[2] for record in caplog.records] == [
        " with status -9 in the middle of wait_for_ever"
    ]
    assert processes.run(AMPLE, squares, 2, report=unseen) == [0, 1]


def test_signals_are_left_to_the_service(processes: WorkerProcesses) -> None:
    """Ctrl-C reaches every process of a terminal; the service decides what becomes of the work."""
    assert processes.run(AMPLE, take_a_signal, report=unseen) == "still there"


def test_a_report_may_fail(processes: WorkerProcesses) -> None:
    """A failure of the caller's own ends the process too."""
    begun: list[int] = []

    def break_off(process: int) -> None:
        begun.append(process)
        raise LookupError

    with pytest.raises(LookupError):
        processes.run(AMPLE, wait_for_ever, report=break_off)
    assert not psutil.pid_exists(begun[0])


def test_work_that_takes_too_long_is_killed(processes: WorkerProcesses, caplog: pytest.LogCaptureFixture) -> None:
    """The caller gets a TimeoutError, the log nothing: it is the caller who knows what it means."""
    begun: list[int] = []
    with pytest.raises(TimeoutError, match="wait_for_ever took longer than 1 seconds"):
        processes.run(Limits(1, AMPLE.bytes), wait_for_ever, report=begun.append)
    assert not any(map(psutil.pid_exists, begun))
    assert caplog.records == []


def test_work_in_time_is_not_killed(processes: WorkerProcesses) -> None:
    """Its result comes through, and nothing is left that waits for its end."""
    assert processes.run(AMPLE, squares, 3, report=unseen) == [0, 1, 4]
    for timer in [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]:
        timer.join(BRIEF_WAIT)
        assert not timer.is_alive()


def test_work_that_takes_too_much_memory_is_refused(
    processes: WorkerProcesses, caplog: pytest.LogCaptureFixture
) -> None:
    """The caller gets a MemoryError, and what fits is done."""
    assert processes.run(Limits(AMPLE.seconds, 300 << 20), take_memory, 100 << 20, report=unseen) == 100 << 20
    with pytest.raises(MemoryError, match="take_memory needed more memory"):
        processes.run(Limits(AMPLE.seconds, 300 << 20), take_memory, 400 << 20, report=unseen)
    assert processes.run(AMPLE, take_memory, 400 << 20, report=unseen) == 400 << 20
    assert caplog.records == []


def test_an_end_kills_what_runs(processes: WorkerProcesses) -> None:
    """Who waits gets the error of a shutdown, and so does who comes later."""
    begun = threading.Event()

    def message(_: int) -> None:
        begun.set()

    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(run_for_ever, processes, message)
        assert begun.wait(BRIEF_WAIT)
        processes.end()
        with pytest.raises(RenderOverload):
            running.result(BRIEF_WAIT)
    with pytest.raises(RenderOverload):
        processes.run(AMPLE, squares, 1, report=unseen)


def run_for_ever(processes: WorkerProcesses, report: Report) -> None:
    """Run work that never ends."""
    processes.run(AMPLE, wait_for_ever, report=report)


def test_a_start_that_fails_is_reported(processes: WorkerProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an interpreter to start there is no process (the system's own refusal cannot be had at will)."""
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(GenerationFailure, match="could not start a process"):
        processes.run(AMPLE, squares, 1, report=unseen)


ORPHAN = """
from test_worker_processes import wait_for_ever
from barcodesvc.runtime.processes import Limits, WorkerProcesses
limits = Limits(seconds=60, bytes=1 << 30)
WorkerProcesses().run(limits, wait_for_ever, report=lambda process: print(process, flush=True))
"""


def test_a_process_ends_with_its_service() -> None:
    """A service that is killed outright leaves nothing running behind it."""
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(  # noqa: S603 - this interpreter, the text above
        [sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    ) as service:
        assert service.stdout
        orphan = psutil.Process(int(service.stdout.readline()))
        service.kill()
        assert orphan.wait(BRIEF_WAIT) is None
