"""Work in a process that does nothing else, and the time that work takes."""

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import ParamSpec, TypeVar

from scripts.benchmarks.load import Round

P = ParamSpec("P")
T = TypeVar("T")


def alone(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a function of a module in a new process, and return its result."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(work, *arguments, **named).result()


def timed(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> tuple[T, Round]:
    """Call a function, and return its result and what it took."""
    begin, cpu = time.perf_counter(), time.process_time()
    result = work(*arguments, **named)
    return result, Round(1, time.perf_counter() - begin, time.process_time() - cpu)
