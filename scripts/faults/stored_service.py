"""The real service over a folder that outlives it, so that it can be killed and started again."""

from __future__ import annotations

import http.client
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_RUNNING = re.compile(r"=+ Running on http://127\.0\.0\.1:([0-9]+) =+\n")
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
        line = process.stdout.readline() if process.stdout else ""
        started = _RUNNING.fullmatch(line)
        if started is None:
            raise SystemExit(f"the service did not start: {self.errors()}")
        self.port = int(started[1])

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
    return (folder.parent / f"{folder.name}.errors").read_text()


@contextmanager
def stored(folder: Path, **settings: object) -> Iterator[StoredService]:
    """Start the service over the database of this folder; it is killed at the end if it still runs.

    `descriptors` is not a setting but the number of file descriptors that it may have.
    """
    descriptors = settings.pop("descriptors", None)
    with (folder.parent / f"{folder.name}.errors").open("a") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "barcodesvc"],
            env={**os.environ, **environment(folder, **settings)},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    with process:
        try:
            service = StoredService(process, folder)
            if isinstance(descriptors, int):
                resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (descriptors, descriptors))
            yield service
        finally:
            process.kill()


def environment(folder: Path, **settings: object) -> dict[str, str]:
    """Return the variables that make the service use the database of this folder."""
    given = {"port": 0, "database": folder / DATABASE, "rate_limit": "off", "upload_rate_limit": "off", **settings}
    return {f"BARCODESVC_{name.upper()}": str(value) for name, value in given.items()}


def seconds_until(condition: Callable[[], bool], at_most: float = 30.0) -> float:
    """Return how long it took until the condition held; at_most where it did not."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < at_most:
        with suppress(OSError, http.client.HTTPException):
            if condition():
                return time.perf_counter() - begin
        time.sleep(0.02)
    return at_most
