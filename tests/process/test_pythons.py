"""The service runs on every Python that it supports and that this machine has.

Each one but the tests' own gets an environment in `.venv`, with the locked packages, the first time that it is tested.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interpreters import installed
from tests.served import Service

ROOT = Path(__file__).parents[2]
PYTHONS = installed()
_OWN = f"{sys.version_info.major}.{sys.version_info.minor}"


def prepared(version: str) -> str:
    """Return the Python of an environment of this version with the locked packages; skips if it cannot be made."""
    if version == _OWN:
        return sys.executable
    folder = f".venv/python{version}"
    # what a start does not import need not be compiled, which takes a quarter of the time
    environment = os.environ | {"PYTHON": PYTHONS[version], "ENVIRONMENT": folder, "PIP_COMPILE": "0"}
    made = subprocess.run(["scripts/setup"], cwd=ROOT, env=environment, capture_output=True, text=True)  # noqa: S607, PLW1510 - a script of this folder, whose failure is a reason to skip
    if made.returncode:
        pytest.skip(f"no environment for Python {version}: {made.stderr.strip()[-200:]}")
    return str(ROOT / folder / "bin" / "python")


@pytest.mark.parametrize("version", sorted({_OWN, *PYTHONS}))
def test_a_start_a_request_and_a_stop(start: Callable[..., Service], version: str) -> None:
    """The service answers, writes a line of its access log for the request, and ends without an error."""
    python = prepared(version)
    service = start(python, "-m", "barcodesvc", access_log="on")
    status, body = service.exchange("GET", "/health")
    assert (status, json.loads(body)["version"].rpartition(".")[0]) == (200, f"Python {version}")
    status, output, errors = service.stop()
    assert (status, errors) == (0, "")
    assert [json.loads(line)["path"] for line in output.splitlines()] == ["/health"]
