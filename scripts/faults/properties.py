"""The properties of the tests with all their examples; a run of the tests draws a fifth of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks.report import Figure, at_most
from scripts.faults.extent import Extent

_ROOT = Path(__file__).parents[2]
_TESTS = ("-m", "pytest", "-q", "--numprocesses=2", "--engine=each", "--examples=full", "-m", "hypothesis", "tests")


def failing(extent: Extent) -> Iterator[Figure]:
    """Yield 1 if a property fails, else 0; nothing in a brief run, because the tests are one."""
    if extent is Extent.BRIEF:
        return
    ended = subprocess.run([sys.executable, *_TESTS], cwd=_ROOT, check=False)  # noqa: S603 - our own tests
    yield Figure("runs of all examples that fail", ended.returncode, "", at_most(0))
