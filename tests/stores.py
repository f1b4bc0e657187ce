"""A store of shared limits for tests: a redis-server of Debian on a Unix socket, in a folder of its own."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

WAIT = 20.0
"""Seconds after which a test gives up on the server."""


class Store:
    """A server that a test starts, kills, stops for a while, and starts again; it is empty at each start."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.socket = folder / "s"
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """What `BARCODESVC_RATE_LIMIT_STORE` takes."""
        return f"valkey+unix://{self.socket}"

    def start(self) -> None:
        """Start it, and return once it answers."""
        program = shutil.which("valkey-server") or shutil.which("redis-server")
        if program is None:
            pytest.skip("neither valkey-server nor redis-server is installed")
        fixed = ["--port", "0", "--unixsocket", str(self.socket), "--save", "", "--dir", str(self.socket.parent)]
        self._process = subprocess.Popen([program, *fixed, *self._options], stdout=subprocess.DEVNULL)  # noqa: S603 - fixed text
        before = time.monotonic()
        while not self._answers():
            assert time.monotonic() < before + WAIT
            time.sleep(0.01)

    def kill(self) -> None:
        """Kill it, as far as it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def hang(self) -> None:
        """Let it take connections, and answer nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """End its hanging."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _answers(self) -> bool:
        with closing(socket.socket(socket.AF_UNIX)) as connection, suppress(OSError):
            connection.connect(str(self.socket))
            connection.sendall(b"PING\r\n")
            return bool(connection.recv(100))
        return False
