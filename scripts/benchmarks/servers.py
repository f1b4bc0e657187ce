"""Servers in separate processes, on the loopback interface only.

A server that is ready prints its ports on one line of standard output. On leaving the block, it is stopped by its
process id, with the processes that it has started.
"""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psutil
from aiohttp import web

from barcodesvc.api.keys import SETTINGS
from barcodesvc.api.server import ServiceRunner

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Server:
    """A running server process, with the processes that it has started, and the port of each of its applications."""

    process: psutil.Process
    ports: tuple[int, ...]

    def cpu_seconds(self) -> float:
        """Return the processor time that all of its threads and processes have used, user and system."""
        return self._summed(_cpu_seconds)

    def resident_bytes(self) -> int:
        """Return the resident memory of all of its processes; what they share counts once for each."""
        return int(self._summed(lambda process: process.memory_info().rss))

    def end(self) -> None:
        """Ask all of its processes to exit."""
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                process.terminate()

    def _processes(self) -> list[psutil.Process]:
        with suppress(psutil.NoSuchProcess):
            return [self.process, *self.process.children(recursive=True)]
        return []

    def _summed(self, of: Callable[[psutil.Process], float]) -> float:
        summed = 0.0
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):  # one that is exiting
                summed += of(process)
        return summed


def _cpu_seconds(process: psutil.Process) -> float:
    """Return the processor time of a process, and that of its children that have ended."""
    times = process.cpu_times()
    return times.user + times.system + times.children_user + times.children_system


@contextmanager
def running_module(module: str, *arguments: str) -> Iterator[Server]:
    """Start a Python module as a server, wait until it is ready, and end it on leaving."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - modules of this folder
        ready = process.stdout.readline() if process.stdout else ""
        if not ready:
            raise SystemExit(f"the server did not start: {' '.join(command)}")
        server = Server(psutil.Process(process.pid), tuple(map(int, ready.split())))
        try:
            yield server
        finally:
            server.end()


async def serve_forever(*apps: web.Application) -> None:
    """Serve the applications in this event loop, without an access log, and print their ports."""
    print(*[await listen(app) for app in apps], flush=True)
    await asyncio.Event().wait()


async def listen(app: web.Application) -> int:
    """Start an application on a free port, the service with its real connections; return the port."""
    runner = ServiceRunner(app) if SETTINGS in app else web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, LOOPBACK, 0).start()
    port: int = runner.addresses[0][1]
    return port
