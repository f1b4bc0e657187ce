"""docs/examples/barcodesvc@.service: what systemd says of it, and that its words are those of the service."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from barcodesvc.config import PREFIX, Settings
from tests.pages import ROOT

UNIT = ROOT / "docs" / "examples" / "barcodesvc@.service"
EXAMPLES = sorted(UNIT.parent.iterdir())


def _unit() -> configparser.ConfigParser:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # keys are as they are written
    unit.read(UNIT)
    return unit


def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    """Each key and value is one that it knows; only the path of the program is different here."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("needs systemd-analyze")
    command = shlex.split(_unit()["Service"]["ExecStart"])[0]
    (tmp_path / UNIT.name).write_text(UNIT.read_text().replace(command, sys.executable))
    started = UNIT.name.replace("@", "@8081")
    (tmp_path / started).symlink_to(tmp_path / UNIT.name)
    said = subprocess.run([program, "verify", tmp_path / started], capture_output=True, text=True, check=False)  # noqa: S603 - systemd's own
    assert (said.returncode, said.stdout, [line for line in said.stderr.splitlines() if UNIT.name in line]) == (
        0,
        "",
        [],
    )


def test_it_starts_the_command_that_is_installed() -> None:
    """The last part of the path is the console script; it takes no arguments to serve."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    [command] = shlex.split(_unit()["Service"]["ExecStart"])
    assert Path(command).name in setup["options.entry_points"]["console_scripts"].split()


def test_each_instance_has_a_port_of_its_own() -> None:
    """The name of the instance is the port."""
    assert _unit()["Service"]["Environment"] == f"{PREFIX}PORT=%i"


def test_the_service_may_end_by_itself() -> None:
    """It ends hard after twice the time of a stop; it is not killed before."""
    assert float(_unit()["Service"]["TimeoutStopSec"]) > 2 * Settings().stop_timeout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_name_settings_that_exist(example: Path) -> None:
    """A setting that is renamed is renamed here too."""
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    assert set(re.findall(rf"{PREFIX}[A-Z_]+", example.read_text())) <= known
