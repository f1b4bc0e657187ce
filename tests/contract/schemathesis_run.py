"""Schemathesis against a running service: a step of CI, which `scripts/test` runs only where it is named.

A brief run sends what the document allows; a full one also what it does not.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.served import UNLIMITED, Service

pytest.importorskip("schemathesis", reason="schemathesis is not installed; `scripts/setup test` does it")
HERE = Path(__file__).parent
LONGEST = 500.0
"""Seconds after which the run is given up; it takes some 70 on an idle machine."""


def test_schemathesis_finds_nothing(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """No case that schemathesis makes of the document, links included, gets a response that it does not describe."""
    mode = {"brief": "positive", "full": "all"}[pytestconfig.getoption("extent")]
    hooks = os.environ | {"SCHEMATHESIS_HOOKS": str(HERE / "unsayable.py")}
    with Service(tmp_path, **UNLIMITED) as served:
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml")),
            *("run", f"{served.address}/api/openapi.json", "--url", served.address, "--mode", mode),
            *("--continue-on-failure", "--no-color"),
        ]
        run = subprocess.run(  # noqa: S603 - schemathesis
            command, cwd=tmp_path, env=hooks, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Stateful" in run.stdout
