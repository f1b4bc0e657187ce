"""docs/examples/*.service: systemd accepts them, and their words are those of the service."""

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

REPLICA = ROOT / "docs" / "examples" / "barcodesvc@.service"
ALONE = ROOT / "docs" / "examples" / "barcodesvc.service"
UNITS = (REPLICA, ALONE)
EXAMPLES = sorted(REPLICA.parent.iterdir())


def _service(unit: Path) -> configparser.SectionProxy:
    parsed = configparser.ConfigParser(interpolation=None, strict=False)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]  # keys are as they are written
    parsed.read(unit)
    return parsed["Service"]


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_systemd_finds_nothing_wrong(tmp_path: Path, unit: Path) -> None:
    """Each key and value is one that it knows; only the path of the program is different here."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("needs systemd-analyze")
    command = shlex.split(_service(unit)["ExecStart"])[0]
    (tmp_path / unit.name).write_text(unit.read_text().replace(command, sys.executable))
    started = tmp_path / unit.name.replace("@", "@8081")
    if unit == REPLICA:
        started.symlink_to(tmp_path / unit.name)
    said = subprocess.run([program, "verify", started], capture_output=True, text=True, check=False)  # noqa: S603 - systemd's own
    complaints = [line for line in said.stderr.splitlines() if unit.name in line]
    assert (said.returncode, said.stdout, complaints) == (0, "", [])


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_is_exposed_little(unit: Path) -> None:
    """Systemd rates its exposure 2 of 10 at most."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("needs systemd-analyze")
    command = [program, "security", "--offline=yes", "--threshold=20", "--no-pager", str(unit)]
    rated = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - systemd's own
    assert rated.returncode == 0, rated.stdout + rated.stderr


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_it_starts_the_command_that_is_installed(unit: Path) -> None:
    """The last part of the path is the console script; it takes no arguments to serve."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    [command] = shlex.split(_service(unit)["ExecStart"])
    assert Path(command).name in setup["options.entry_points"]["console_scripts"].split()


def test_each_replica_has_a_separate_port() -> None:
    """The name of the instance is the port."""
    assert _service(REPLICA)["Environment"] == f"{PREFIX}PORT=%i"


def test_the_only_process_keeps_its_database_in_its_state_directory() -> None:
    """It is checked before each start, and only the service's account can read it."""
    service = _service(ALONE)
    assert service["Environment"] == f"{PREFIX}DATABASE=/var/lib/{service['StateDirectory']}/shop.db"
    assert service["ExecStartPre"] == f"{service['ExecStart']} check"
    assert (service["UMask"], service["StateDirectoryMode"]) == ("0077", "0700")


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_the_service_may_end_by_itself(unit: Path) -> None:
    """It ends hard after twice the time of a stop; it is not killed before."""
    assert float(_service(unit)["TimeoutStopSec"]) > 2 * Settings().stop_timeout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_name_settings_that_exist(example: Path) -> None:
    """A setting that is renamed is renamed here too."""
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    assert set(re.findall(rf"{PREFIX}[A-Z_]+", example.read_text())) <= known
