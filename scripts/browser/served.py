"""The service as a process of its own, as a shop starts it: its database and its port outlive a kill."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

_RUNNING = re.compile(r"=+ Running on (https?)://127\.0\.0\.1:([0-9]+) =+\n")
_WAIT = 30.0


class Service:
    """A service on a free port of the loopback, with a database in this folder; settings are the variables' names."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self._errors = folder / "service.log"
        self._settings: dict[str, object] = {"database": folder / "shop.db", **settings}
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self.address = ""
        """Where it is, such as `http://127.0.0.1:8080`; the same after it was started again."""
        self.start()

    def start(self) -> None:
        """Start it, again on the port that it had; raises RuntimeError with what it wrote where it does not start."""
        settings = {"port": self._port, **self._settings}
        variables = {f"BARCODESVC_{name.upper()}": str(value) for name, value in settings.items()}
        with self._errors.open("a") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "barcodesvc"],
                env={**os.environ, **variables},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        running = _RUNNING.fullmatch(self._process.stdout.readline() if self._process.stdout else "")
        if running is None:
            self.kill()
            raise RuntimeError(f"the service did not start: {self._errors.read_text()}")
        self._port = int(running[2])
        self.address = f"{running[1]}://127.0.0.1:{self._port}"

    def kill(self) -> None:
        """End it as a power cut does (SIGKILL)."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def stop(self) -> int:
        """End it as an operator does (SIGTERM), and return its exit status."""
        process, self._process = self._process, None
        if process is None:
            raise RuntimeError("the service does not run")
        process.terminate()
        process.communicate(timeout=_WAIT)
        return process.returncode

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Send a request to the API over plain HTTP, and return the JSON of the answer."""
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=_WAIT)) as connection:
            sent = None if body is None else json.dumps(body).encode()
            connection.request(method, path, sent, {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())

    def download(self, path: str) -> bytes:
        """Return what a GET of a path answers with, over plain HTTP; raises RuntimeError for what is no 200."""
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=_WAIT)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            content = answer.read()
        if answer.status != HTTPStatus.OK:
            raise RuntimeError(f"{path}: {answer.status} {content[:200]!r}")
        return content
