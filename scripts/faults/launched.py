"""A private service, started by `launcher`, with all of its files in one temporary folder."""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from scripts.benchmarks.servers import Server
from tests.served import UNLIMITED, Service

LAUNCHER = "scripts.faults.launcher"


@dataclass(frozen=True, slots=True)
class Holdings:
    """How many of everything the process holds."""

    descriptors: int
    threads: int
    tasks: int
    blocks: int
    processes: int


class LaunchedService(Service):
    """The running service."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.temporary = folder / "temporary"
        """The folder of its temporary files."""
        self.temporary.mkdir()
        given = UNLIMITED | {"TMPDIR": self.temporary}
        super().__init__(folder, sys.executable, "-m", LAUNCHER, **given | settings)
        self.server = Server(psutil.Process(self.process.pid), (self.port,))

    def holdings(self) -> Holdings:
        """Return what it holds now."""
        process = self.server.process
        process.send_signal(signal.SIGUSR1)
        counts = json.loads(self.output.readline())
        children = len(process.children(recursive=True))
        return Holdings(process.num_fds(), **counts, processes=children)

    def left_files(self) -> list[Path]:
        """Return its temporary files, without the folder of the process itself."""
        return [path for folder in self.temporary.iterdir() for path in folder.iterdir()]


@contextmanager
def launched(**settings: object) -> Iterator[LaunchedService]:
    """Start the service with these settings over an empty database; it is killed at the end if it still runs."""
    with TemporaryDirectory(prefix="chaos-") as name, LaunchedService(Path(name), **settings) as service:
        yield service
