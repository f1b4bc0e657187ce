"""The worker processes that the service in a test has started; the test's own servers are none of them."""

from __future__ import annotations

import psutil


def worker_processes() -> list[psutil.Process]:
    """Return those that run, and those that ended and were not waited for."""
    return [child for child in psutil.Process().children() if _is_worker(child)]


def _is_worker(process: psutil.Process) -> bool:
    return process.status() == psutil.STATUS_ZOMBIE or "runtime.processes" in " ".join(process.cmdline())
