"""The real service over a folder that outlives it, so that it can be killed and started again."""

import http.client
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.served import MODULE, UNLIMITED, Service

DATABASE = "shop.db"


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


class StoredService(Service):
    """A running service with its database in this folder; its errors are outside of the folder, which may be full."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.database = folder / DATABASE
        """The file of its database."""
        super().__init__(folder.parent, *MODULE, **UNLIMITED | {"database": self.database} | settings)

    def ask(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Response:
        """Send a request over a new connection; raises OSError or HTTPException if that breaks."""
        begin = time.perf_counter()
        status, content = self.exchange(method, path, body, **{"Content-Type": kind})
        seconds = time.perf_counter() - begin
        try:
            return Response(status, json.loads(content), seconds)
        except ValueError:
            return Response(status, content, seconds)

    def is_well(self) -> bool:
        """Return what /health says."""
        return self.ask("GET", "/health").status == http.HTTPStatus.OK


@contextmanager
def data_folder() -> Iterator[Path]:
    """Return a folder for a service, which is deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        folder = Path(name) / "data"
        folder.mkdir()
        yield folder


def seconds_until(condition: Callable[[], bool], at_most: float = 30.0) -> float:
    """Return how long it took until the condition held; at_most if it did not."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < at_most:
        with suppress(OSError, http.client.HTTPException):
            if condition():
                return time.perf_counter() - begin
        time.sleep(0.02)
    return at_most
