"""The service in a separate process, as a shop starts it: its database and its port survive a kill.

Loading the service's modules takes a second, and many tests start one. So a service without a command is forked from a
process that has loaded these modules and nothing else (multiprocessing's fork server). Random values drawn at import
are the same in all of these services: the part of request ids that names a process.
"""

import json
import multiprocessing
import os
import re
import select
import signal
import subprocess
import sys
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, NamedTuple, Self, TextIO

from barcodesvc.addresses import ServerAddress

MODULE = (sys.executable, "-m", "barcodesvc")
"""The command of a service that loads its modules itself."""
UNLIMITED: dict[str, object] = {"rate_limit": "off", "upload_rate_limit": "off", "log_level": "WARNING"}
"""Settings of a service that gets many requests, and that logs only what is wrong."""
WAIT = 60.0
"""Seconds after which a start, a response and an end count as hanging."""
RUNNING = re.compile(r"=+ Running on (https?)://127\.0\.0\.1:([0-9]+) =+\n")

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__, "tests.browser.preloaded"])


class End(NamedTuple):
    """How a service ended: its status, its output after its first lines, and its standard error."""

    status: int
    output: str
    errors: str


class StartError(RuntimeError):
    """A service that does not start; `end` has what it said."""

    def __init__(self, end: End) -> None:
        super().__init__(f"the service did not start: {end.output}{end.errors}")
        self.end = end


class Service:
    """A service on the loopback, with its database in this folder and, unless it is set, on a free port.

    Keywords are settings, or other environment variables where they are in capitals. A command is one of another
    Python or of another program; without one, the service is forked.
    """

    def __init__(self, folder: Path, /, *command: str | Path, **settings: object) -> None:
        self.folder = folder
        self.port = 0
        self.address = ""
        """Its address, such as `http://127.0.0.1:8080`; the same after a restart."""
        self.process: subprocess.Popen[str] | _Forked
        self._command = command
        self._settings: dict[str, object] = {"database": folder / "shop.db", **settings}
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, again on its former port; raises StartError if it does not start."""
        variables = dict(map(_variable, ({"port": self.port} | self._settings).items()))
        if self._command:
            self.process, self.output = _executed(self._command, variables, self._log)
        else:
            self.process, self.output = _forked(variables, self._log)
        first = self.output.readline() if select.select([self.output], [], [], WAIT)[0] else "it said nothing\n"
        running = RUNNING.fullmatch(first)
        if running is None:
            if first:
                self.process.kill()
            end = self.ended()
            raise StartError(end._replace(output=first + end.output))
        self.output.readline()  # how to stop it
        self.port = int(running[2])
        self.address = f"{running[1]}://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """Kill it, as a power cut does (SIGKILL), if it still runs."""
        self.process.kill()
        self.process.wait(WAIT)
        self.output.close()

    def stop(self, number: int = signal.SIGTERM) -> End:
        """Stop it as an operator does, by a signal."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> End:
        """Wait for its end."""
        status = self.process.wait(WAIT)
        with self.output:
            return End(status, self.output.read(), self.errors())

    def errors(self) -> str:
        """Return what it has written to standard error so far, also before a restart."""
        return self._log.read_text()

    def exchange(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
        """Send a request over plain HTTP, and return status and body; what is not bytes is sent as JSON."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=WAIT)) as connection:
            sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            connection.request(method, path, sent, {"Content-Type": "application/json"} | headers)
            response = connection.getresponse()
            return response.status, response.read()

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Send a request to the API, and return the JSON of the response."""
        return json.loads(self.exchange(method, path, body)[1])

    def download(self, path: str) -> bytes:
        """Return the response to a GET of a path; raises RuntimeError unless it is a 200."""
        status, content = self.exchange("GET", path)
        if status != HTTPStatus.OK:
            raise RuntimeError(f"{path}: {status} {content[:200]!r}")
        return content

    @property
    def _log(self) -> Path:
        return self.folder / "service.log"


class _Forked:
    """A forked process, with the methods of one of subprocess."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process
        self.pid = process.pid or 0
        self.kill = process.kill

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("a forked service", timeout)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def _variable(setting: tuple[str, object]) -> tuple[str, str]:
    """Return the environment variable of a setting: `str()` of an address leaves out its options."""
    name, value = setting
    text = value.url if isinstance(value, ServerAddress) else str(value)
    return name if name.isupper() else f"BARCODESVC_{name.upper()}", text


def _executed(
    command: tuple[str | Path, ...], variables: dict[str, str], log: Path
) -> tuple[subprocess.Popen[str], TextIO]:
    with log.open("a") as errors:
        environment = os.environ | variables
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True)  # noqa: S603 - a command of a test
    assert process.stdout
    return process, process.stdout  # type: ignore[return-value]  # a TextIOWrapper


def _forked(variables: dict[str, str], log: Path) -> tuple[_Forked, TextIO]:
    output, written = _FORKS.Pipe(duplex=False)
    # daemon: if it is still running, it ends with the process that started it, which would otherwise wait for it
    process = _FORKS.Process(target=_serve, args=(variables, written, log), daemon=True)
    with output, written:
        process.start()
        return _Forked(process), os.fdopen(os.dup(output.fileno()))


def _serve(variables: dict[str, str], output: Connection, log: Path) -> None:
    """Run the service, like `python -m barcodesvc`, with these environment variables."""
    from barcodesvc.__main__ import main  # noqa: PLC0415 - loaded by the process of which all are forked

    os.environ.update(variables)
    os.dup2(output.fileno(), sys.stdout.fileno())
    output.close()
    with log.open("a") as errors:
        os.dup2(errors.fileno(), sys.stderr.fileno())
    sys.exit(main())
