"""The service in a separate process, as a shop starts it: its database and its port survive a kill.

Loading the service's modules takes a second, and many tests start one. So all services are forked from one process that
has loaded these modules and nothing else (multiprocessing's fork server). Random values drawn at import are the same in
all of them: the part of request ids that names a process.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sys
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

_RUNNING = re.compile(r"=+ Running on (https?)://127\.0\.0\.1:([0-9]+) =+\n")
_WAIT = 30.0
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__, "scripts.browser.preloaded"])


class Service:
    """A service on a free port of the loopback, with a database in this folder; settings are the variables' names."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self._errors = folder / "service.log"
        self._settings: dict[str, object] = {"database": folder / "shop.db", **settings}
        self._process: ForkServerProcess | None = None
        self._port = 0
        self.address = ""
        """Its address, such as `http://127.0.0.1:8080`; the same after a restart."""
        self.start()

    def start(self) -> None:
        """Start it, again on its former port; raises RuntimeError with its output if it does not start."""
        settings = {"port": self._port, **self._settings}
        variables = {f"BARCODESVC_{name.upper()}": str(value) for name, value in settings.items()}
        output, standard_output = _FORKS.Pipe(duplex=False)
        # daemon: if it is still running, it ends with the process that started it, which would otherwise wait for it
        self._process = _FORKS.Process(target=_serve, args=(variables, standard_output, self._errors), daemon=True)
        with output:
            with standard_output:
                self._process.start()
            running = _RUNNING.fullmatch(_first_line(output))
        if running is None:
            self.kill()
            raise RuntimeError(f"the service did not start: {self._errors.read_text()}")
        self._port = int(running[2])
        self.address = f"{running[1]}://127.0.0.1:{self._port}"

    def kill(self) -> None:
        """Kill it, as a power cut does (SIGKILL)."""
        if self._process is not None:
            self._process.kill()
            self._process.join(_WAIT)
            self._process = None

    def stop(self) -> int:
        """Stop it as an operator does (SIGTERM), and return its exit status."""
        process, self._process = self._process, None
        if process is None:
            raise RuntimeError("the service does not run")
        process.terminate()
        process.join(_WAIT)
        if process.exitcode is None:
            raise RuntimeError("the service does not end")
        return process.exitcode

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Send a request to the API over plain HTTP, and return the JSON of the response."""
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=_WAIT)) as connection:
            sent = None if body is None else json.dumps(body).encode()
            connection.request(method, path, sent, {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read())

    def download(self, path: str) -> bytes:
        """Return the response to a GET of a path, over plain HTTP; raises RuntimeError unless it is a 200."""
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=_WAIT)) as connection:
            connection.request("GET", path)
            response = connection.getresponse()
            content = response.read()
        if response.status != HTTPStatus.OK:
            raise RuntimeError(f"{path}: {response.status} {content[:200]!r}")
        return content


def _first_line(output: Connection) -> str:
    """Return it once the second line has come too: closing the pipe earlier breaks it. Nothing if none comes."""
    if not output.poll(_WAIT):
        return ""
    with open(output.fileno(), closefd=False) as lines:
        first, _ = lines.readline(), lines.readline()
    return first


def _serve(variables: dict[str, str], output: Connection, errors: Path) -> None:
    """Run the service, like `python -m barcodesvc`, with these environment variables."""
    from barcodesvc.__main__ import main  # noqa: PLC0415 - loaded by the process of which all are forked

    os.environ.update(variables)
    os.dup2(output.fileno(), sys.stdout.fileno())
    output.close()
    with errors.open("a") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    sys.exit(main())
