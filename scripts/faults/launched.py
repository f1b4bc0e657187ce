"""A service of its own, started by `launcher`, with everything that it writes in one temporary folder."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, cast

import psutil

from scripts.benchmarks.servers import Server
from scripts.faults.launcher import MODULE

_RUNNING = re.compile(r"=+ Running on http://127\.0\.0\.1:([0-9]+) =+\n")
_LONGEST_STOP = 120.0


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the process holds: memory in bytes, and numbers of all else."""

    resident: int
    descriptors: int
    threads: int
    tasks: int
    blocks: int
    processes: int


@dataclass(frozen=True, slots=True)
class End:
    """How the service ended: its status, what it wrote on standard error, and how many seconds the end took."""

    status: int
    errors: str
    seconds: float


class LaunchedService:
    """The running service."""

    def __init__(self, process: subprocess.Popen[str], output: IO[str], folder: Path) -> None:
        self._process = process
        self._output = output
        self._folder = folder
        started = _RUNNING.fullmatch(output.readline())
        if started is None:
            raise SystemExit(f"the service did not start: {self.errors()}")
        output.readline()
        self.port = int(started[1])
        self.server = Server(psutil.Process(process.pid), (self.port,))

    def errors(self) -> str:
        """Return what stands on its standard error so far."""
        return (self._folder / "errors").read_text()

    def holdings(self) -> Holdings:
        """Return what it holds now."""
        process = self.server.process
        process.send_signal(_COUNT)
        counts = json.loads(self._output.readline())
        children = len(process.children(recursive=True))
        return Holdings(process.memory_info().rss, process.num_fds(), **counts, processes=children)

    def left_files(self) -> list[Path]:
        """Return the temporary files that lie there now, the folder of the process itself left aside."""
        return [path for folder in self.temporary.iterdir() for path in folder.iterdir()]

    @property
    def temporary(self) -> Path:
        """The folder of its temporary files."""
        return self._folder / "temporary"

    def stop(self) -> End:
        """Ask it to end, and wait until it has."""
        begin = time.perf_counter()
        self._process.terminate()
        status = self._process.wait(_LONGEST_STOP)
        return End(status, self.errors(), time.perf_counter() - begin)


_COUNT = signal.SIGUSR1


@contextmanager
def launched(**settings: object) -> Iterator[LaunchedService]:
    """Start the service with these settings over an empty database; it is killed at the end if it still runs."""
    with TemporaryDirectory(prefix="torture-") as name:
        folder = Path(name)
        (folder / "temporary").mkdir()
        given = {"port": 0, "database": folder / "shop.db", "rate_limit": "off", "upload_rate_limit": "off", **settings}
        environment = {f"BARCODESVC_{setting.upper()}": str(value) for setting, value in given.items()}
        with (folder / "errors").open("w") as errors:
            process = subprocess.Popen(  # noqa: S603 - this interpreter, a module of this folder
                [sys.executable, "-m", MODULE],
                env={**os.environ, **environment, "TMPDIR": str(folder / "temporary")},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        with process:
            try:
                yield LaunchedService(process, cast("IO[str]", process.stdout), folder)  # it was asked for
            finally:
                process.kill()
