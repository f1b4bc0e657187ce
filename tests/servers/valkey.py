"""A private Valkey, or Debian's Redis: on a Unix socket in a temporary folder, without a port."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

READY_WAIT = 20.0
"""Seconds for a server to come up."""


def program() -> str | None:
    """Return the path of the server, None if none is installed."""
    return shutil.which("valkey-server") or shutil.which("redis-server")


class ValkeyServer:
    """A server that forgets everything when it stops."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._socket = folder / "s"
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Its address, in the form of BARCODESVC_RATE_LIMIT_STORE."""
        return f"valkey+unix://{self._socket}"

    def start(self) -> None:
        """Start it, and return once it responds; raises TimeoutError if it does not."""
        command = program()
        if command is None:
            raise FileNotFoundError("neither valkey-server nor redis-server is installed")
        fixed = ["--port", "0", "--unixsocket", str(self._socket), "--save", "", "--dir", str(self._socket.parent)]
        self._process = subprocess.Popen([command, *fixed, *self._options], stdout=subprocess.DEVNULL)  # noqa: S603 - fixed text
        deadline = time.monotonic() + READY_WAIT
        while not self._responds():
            if time.monotonic() > deadline:
                raise TimeoutError("the server did not start")
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill it, as a power cut would, if it is running."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def hang(self) -> None:
        """Let it accept connections and respond to nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it respond again."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def _responds(self) -> bool:
        with closing(socket.socket(socket.AF_UNIX)) as connection, suppress(OSError):
            connection.connect(str(self._socket))
            connection.sendall(b"PING\r\n")
            return bool(connection.recv(100))
        return False


@contextmanager
def running_valkey(*options: str) -> Iterator[ValkeyServer]:
    """Run a server with these options inside the block."""
    with TemporaryDirectory(prefix="valkey-") as folder:
        server = ValkeyServer(Path(folder), *options)
        server.start()
        try:
            yield server
        finally:
            server.kill()
