"""Processor time of two kinds of work on the same contents, in alternating turns, in a process that does nothing else.

A benchmark's module runs in that process: as a program, it prints what `alone` reads.
"""

import subprocess
import sys
import time
from collections.abc import Callable

CHUNK = 20
"""Contents of one turn; the first turn warms up and does not count."""

Work = Callable[[str], object]


def alone(module: str) -> tuple[float, float]:
    """Run a module as a program and return the processor microseconds that each kind of work takes for one content."""
    command = [sys.executable, "-m", module]
    printed = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - modules of this folder
    first, second = map(float, printed.stdout.split())
    return first, second


def print_by_turns(content: Callable[[int], str], count: int, works: tuple[Work, Work]) -> None:
    """Do both kinds of work on `count` contents and print the microseconds of one of each."""
    spent = [0.0, 0.0]
    for begin in range(-CHUNK, count, CHUNK):
        contents = [content(abs(number)) for number in range(begin, begin + CHUNK)]
        turn = [_spent(work, contents) for work in works]
        if begin >= 0:
            spent = [before + now for before, now in zip(spent, turn, strict=True)]
    print(*(seconds / count * 1e6 for seconds in spent))


def _spent(work: Work, contents: list[str]) -> float:
    begin = time.process_time()
    for content in contents:
        work(content)
    return time.process_time() - begin
