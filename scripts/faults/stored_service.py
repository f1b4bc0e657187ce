"""The real service over a folder that outlives it, so that it can be killed and started again."""

from __future__ import annotations

import http.client
import json
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.faults.started import environment, port_of, started

DATABASE = "shop.db"
ANSWER_WAIT = 60.0
"""Seconds after which a request that has no answer counts as hanging."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The status of an answer, its body as JSON, and how many seconds it took."""

    status: int
    body: Any
    seconds: float

    @property
    def code(self) -> str:
        """The code of a failure, "" of anything else."""
        return str(self.body.get("code", "")) if isinstance(self.body, dict) else ""


class StoredService:
    """A running service; made by `stored`."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.port = port_of(process, _errors_of(folder))

    @property
    def database(self) -> Path:
        """The file of its database."""
        return self.folder / DATABASE

    def errors(self) -> str:
        """Return what stands on its standard error so far."""
        return errors_in(self.folder)

    def call(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Answer:
        """Send a request over a connection of its own; raises OSError or HTTPException where it is broken off."""
        sent = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        begin = time.perf_counter()
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_WAIT)) as connection:
            connection.request(method, path, sent, {"Content-Type": kind})
            answer = connection.getresponse()
            content = answer.read()
        with suppress(ValueError):
            content = json.loads(content)
        return Answer(answer.status, content, time.perf_counter() - begin)

    def is_well(self) -> bool:
        """Return what /health says."""
        return self.call("GET", "/health").status == http.HTTPStatus.OK

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()


def errors_in(folder: Path) -> str:
    """Return what the services of this folder have written on standard error."""
    return _errors_of(folder).read_text()


def _errors_of(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.errors"


@contextmanager
def stored(folder: Path, **settings: object) -> Iterator[StoredService]:
    """Start the service over the database of this folder; it is killed at the end if it still runs.

    `descriptors` is not a setting but the number of file descriptors that it may have.
    """
    descriptors = settings.pop("descriptors", None)
    with started("barcodesvc", environment(folder / DATABASE, **settings), _errors_of(folder)) as process:
        service = StoredService(process, folder)
        if isinstance(descriptors, int):
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (descriptors, descriptors))
        yield service


def seconds_until(condition: Callable[[], bool], at_most: float = 30.0) -> float:
    """Return how long it took until the condition held; at_most where it did not."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < at_most:
        with suppress(OSError, http.client.HTTPException):
            if condition():
                return time.perf_counter() - begin
        time.sleep(0.02)
    return at_most
