"""The page's logic that needs no document, tested by Node's own test runner: a file of tests for each module."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MODULES_BY_SYNTAX = "process.exit(process.features.require_module ? 0 : 1)"
"""Succeeds in a Node that recognises a module by its syntax: 20.19, 22.13 and later."""
LONGEST = 60.0
"""Seconds after which a file fails in which a test waits forever."""


@pytest.fixture(scope="module")
def node() -> str:
    """Return the program, or skip if none is new enough."""
    program = shutil.which("node")
    if program is None or subprocess.run([program, "-e", MODULES_BY_SYNTAX], check=False).returncode:  # noqa: S603 - fixed text
        pytest.skip("Node 20.19 or newer is not installed")
    return program


@pytest.mark.parametrize("tests", sorted(HERE.glob("*.test.js")), ids=lambda path: path.name)
def test_the_logic_of_the_page(node: str, tests: Path) -> None:
    """Every test of the file passes."""
    command = [node, str(tests)]  # with --test another process would only pass the output on
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)  # noqa: S603 - above
    assert ran.returncode == 0, ran.stdout
