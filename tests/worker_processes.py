"""The worker processes that the service in a test has started, without the test's own servers."""

import psutil


def worker_processes() -> list[psutil.Process]:
    """Return those that run for one job, including ended ones that were not waited for."""
    return [child for child in psutil.Process().children() if _is_zombie(child) or _is_worker(child, kept=False)]


def kept_processes() -> list[psutil.Process]:
    """Return those that process one image after the other."""
    return [child for child in psutil.Process().children() if _is_worker(child, kept=True)]


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:  # it has ended since it was listed
        return False


def _is_worker(process: psutil.Process, *, kept: bool) -> bool:
    try:
        command = " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # as above; a zombie has no command either
        return False
    return "runtime.worker" in command and ("images.pixels" in command) == kept
