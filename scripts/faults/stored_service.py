"""The real service over a folder that outlives it, so that it can be killed and started again."""

from __future__ import annotations

import http.client
import json
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.faults.started import environment, port_of, started

DATABASE = "shop.db"
RESPONSE_WAIT = 60.0
"""Seconds after which an unanswered request counts as hanging."""


@dataclass(frozen=True, slots=True)
class Response:
    """The status of a response, its body as JSON, and how many seconds it took."""

    status: int
    body: Any
    seconds: float

    @property
    def code(self) -> str:
        """The code of a failure, otherwise ""."""
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
        """Return what it has written to standard error so far."""
        return errors_in(self.folder)

    def call(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Response:
        """Send a request over a new connection; raises OSError or HTTPException if that breaks."""
        sent = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        begin = time.perf_counter()
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=RESPONSE_WAIT)) as connection:
            connection.request(method, path, sent, {"Content-Type": kind})
            response = connection.getresponse()
            content = response.read()
        with suppress(ValueError):
            content = json.loads(content)
        return Response(response.status, content, time.perf_counter() - begin)

    def is_well(self) -> bool:
        """Return what /health says."""
        return self.call("GET", "/health").status == http.HTTPStatus.OK

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        self.process.kill()
        self.process.wait()


def errors_in(folder: Path) -> str:
    """Return what the services of this folder have written to standard error."""
    return _errors_of(folder).read_text()


def _errors_of(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.errors"


@contextmanager
def data_folder() -> Iterator[Path]:
    """Return a folder for a service, which is deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        folder = Path(name) / "data"
        folder.mkdir()
        yield folder


@contextmanager
def stored(folder: Path, **settings: object) -> Iterator[StoredService]:
    """Start the service over the database of this folder; it is killed at the end if it still runs.

    `descriptors` is not a setting but the maximum number of its file descriptors.
    """
    descriptors = settings.pop("descriptors", None)
    with started("barcodesvc", environment(folder / DATABASE, **settings), _errors_of(folder)) as process:
        service = StoredService(process, folder)
        if isinstance(descriptors, int):
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (descriptors, descriptors))
        yield service


def seconds_until(condition: Callable[[], bool], at_most: float = 30.0) -> float:
    """Return how long it took until the condition held; at_most if it did not."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < at_most:
        with suppress(OSError, http.client.HTTPException):
            if condition():
                return time.perf_counter() - begin
        time.sleep(0.02)
    return at_most
