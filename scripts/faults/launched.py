"""A private service, started by `launcher`, with all of its files in one temporary folder."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from scripts.benchmarks.servers import Server
from scripts.faults.launcher import MODULE
from scripts.faults.started import environment, port_of, started

_ERRORS = "errors"
_LONGEST_STOP = 120.0


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the process holds: memory in bytes, and numbers of everything else."""

    resident: int
    descriptors: int
    threads: int
    tasks: int
    blocks: int
    processes: int


@dataclass(frozen=True, slots=True)
class End:
    """How the service exited: its status, its output on standard error, and how many seconds the exit took."""

    status: int
    errors: str
    seconds: float


class LaunchedService:
    """The running service."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._folder = folder
        self.port = port_of(process, folder / _ERRORS)
        self._line()  # how to stop it
        self.server = Server(psutil.Process(process.pid), (self.port,))

    def errors(self) -> str:
        """Return what it has written to standard error so far."""
        return (self._folder / _ERRORS).read_text()

    def holdings(self) -> Holdings:
        """Return what it holds now."""
        process = self.server.process
        process.send_signal(_COUNT)
        counts = json.loads(self._line())
        children = len(process.children(recursive=True))
        return Holdings(process.memory_info().rss, process.num_fds(), **counts, processes=children)

    def left_files(self) -> list[Path]:
        """Return its temporary files, without the folder of the process itself."""
        return [path for folder in self.temporary.iterdir() for path in folder.iterdir()]

    @property
    def temporary(self) -> Path:
        """The folder of its temporary files."""
        return self._folder / "temporary"

    def stop(self) -> End:
        """Ask it to exit, and wait until it has."""
        begin = time.perf_counter()
        self._process.terminate()
        status = self._process.wait(_LONGEST_STOP)
        return End(status, self.errors(), time.perf_counter() - begin)

    def _line(self) -> str:
        return self._process.stdout.readline() if self._process.stdout else ""


_COUNT = signal.SIGUSR1


@contextmanager
def launched(**settings: object) -> Iterator[LaunchedService]:
    """Start the service with these settings over an empty database; it is killed at the end if it still runs."""
    with TemporaryDirectory(prefix="torture-") as name:
        folder = Path(name)
        (folder / "temporary").mkdir()
        variables = environment(folder / "shop.db", **settings) | {"TMPDIR": str(folder / "temporary")}
        with started(MODULE, variables, folder / _ERRORS) as process:
            yield LaunchedService(process, folder)
