"""The units, the Containerfile and compose.yaml of docs/examples fit systemd, the repository and the settings.

`scripts/chaos install` builds and runs the image.
"""

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from barcodesvc.config import PREFIX, Settings, load_settings
from tests.pages import ROOT, section
from tests.sweeps import sweep

EXAMPLES = ROOT / "docs" / "examples"
IMAGE, COMPOSE = EXAMPLES / "Containerfile", EXAMPLES / "compose.yaml"
REPLICA, ALONE = UNITS = (EXAMPLES / "barcodesvc@.service", EXAMPLES / "barcodesvc.service")
LONGEST_STOP = 2 * Settings().stop_timeout
"""Seconds after which a service that stops has ended by itself, hard if need be."""
SETUP = configparser.ConfigParser()
SETUP.read(ROOT / "setup.cfg")
SCRIPTS = SETUP["options.entry_points"]["console_scripts"].split()


def service_of(unit: Path) -> configparser.SectionProxy:
    """Return what a unit says of its service."""
    parsed = configparser.ConfigParser(interpolation=None, strict=False)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]  # keys are as they are written
    parsed.read(unit)
    return parsed["Service"]


def words(instruction: str) -> list[str]:
    """Return what follows each instruction of this name in the Containerfile."""
    lines = re.sub(r"^\s*#.*\n", "", IMAGE.read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    steps = [line.strip().partition(" ") for line in lines if line.strip()]
    return [rest.strip() for name, _, rest in steps if name == instruction]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_systemd_finds_nothing_wrong(tmp_path: Path, unit: Path) -> None:
    """It knows each key and value, but for the path of the program, and rates the exposure 2 of 10 at most."""
    command = shlex.split(service_of(unit)["ExecStart"])[0]
    (tmp_path / unit.name).write_text(unit.read_text().replace(command, sys.executable))
    started = tmp_path / unit.name.replace("@", "@8081")
    if unit == REPLICA:
        started.symlink_to(tmp_path / unit.name)
    said = _analysed("verify", str(started))
    complaints = [line for line in said.stderr.splitlines() if unit.name in line]
    assert (said.returncode, said.stdout, complaints) == (0, "", [])
    rated = _analysed("security", "--offline=yes", "--threshold=20", "--no-pager", str(unit))
    assert rated.returncode == 0, rated.stdout + rated.stderr


def _analysed(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze") or ""
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)  # noqa: S603 - systemd's own


@sweep("unit", UNITS)
def test_a_unit_starts_the_command_that_is_installed(unit: Path) -> None:
    """It ends hard after twice the time of a stop; it is not killed before."""
    [command] = shlex.split(service_of(unit)["ExecStart"])
    assert Path(command).name in SCRIPTS
    assert float(service_of(unit)["TimeoutStopSec"]) > LONGEST_STOP


def test_each_unit_has_what_is_its_own() -> None:
    """A replica has the port of its name; the only process checks a database that its account alone can read."""
    assert service_of(REPLICA)["Environment"] == f"{PREFIX}PORT=%i"
    alone = service_of(ALONE)
    assert alone["Environment"] == f"{PREFIX}DATABASE=/var/lib/{alone['StateDirectory']}/shop.db"
    assert alone["ExecStartPre"] == f"{alone['ExecStart']} check"
    assert (alone["UMask"], alone["StateDirectoryMode"]) == ("0077", "0700")


@sweep("example", sorted(EXAMPLES.iterdir()))
def test_examples_name_settings_that_exist(example: Path) -> None:
    """A setting that is renamed is renamed here too."""
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    assert set(re.findall(rf"{PREFIX}[A-Z_]+", example.read_text())) <= known


def test_the_image_is_made_of_what_is_here_and_locked() -> None:
    """Paths that it copies exist; the packages of the service, of both servers and of npm each have their hash."""
    copied = [text.split()[:-1] for text in words("COPY") if not text.startswith("--from=")]
    sources = {source for group in copied for source in group}
    assert {"barcodesvc", "sql", "setup.cfg"} <= sources
    [installing] = [text for text in words("RUN") if "--requirement" in text]
    locked = re.findall(r"--requirement (\S+)", installing)
    assert {Path(name).stem for name in locked} == {"build", "base", "npm", "postgres", "valkey"}
    assert [source for source in (*sources, *locked) if not (ROOT / source).exists()] == []
    assert "--require-hashes" in installing
    assert all("--no-index" in text for text in words("RUN") if "pip install" in text and text != installing)


def test_the_image_serves_from_its_volume_without_root() -> None:
    """The README mounts the volume, whose folder belongs to the service's account, and waits for the end of a stop."""
    [volume], [user], [port], [check], [command] = map(words, ("VOLUME", "USER", "EXPOSE", "HEALTHCHECK", "CMD"))
    variables = dict(word.split("=", 1) for text in words("ENV") for word in text.split())
    settings = load_settings({name: value for name, value in variables.items() if name.startswith(PREFIX)})
    owner, _, group = user.partition(":")
    assert int(owner) > 0
    assert str(settings.database).startswith(f"{volume}/")
    assert settings.port == int(port)
    assert settings.host == "0.0.0.0"  # noqa: S104 - of the container
    assert any(f"--owner {owner} --group {group} --mode 700 {volume}" in text for text in words("RUN"))
    assert f"http://127.0.0.1:{port}/health" in check
    assert json.loads(command)[0] in SCRIPTS
    start = section("README.md", "Start")
    assert f":{volume} " in start
    assert int(re.findall(r"--stop-timeout (\d+) ", start)[0]) > LONGEST_STOP


def test_compose_fits_the_settings_and_the_caddyfile() -> None:
    """Its comments document all that it takes, and what is valid; it trusts Caddy alone, at a fixed address."""
    text = COMPOSE.read_text("utf-8")
    composed: Any = yaml.safe_load(text)
    services, [network] = composed["services"], composed["networks"]["default"]["ipam"]["config"]
    found = dict(re.findall(r"^# {5}([A-Z_]+)=(\S+)", text.partition("\nname:")[0], re.MULTILINE))
    documented = {name: value.replace("...", "0123456789abcdef01234567") for name, value in found.items()}
    settings = load_settings({name: value for name, value in documented.items() if name.startswith(PREFIX)})
    assert settings.rate_limit_store
    assert settings.api_key
    taken = {name for each in services.values() for name, value in each.get("environment", {}).items() if value is None}
    assert taken | set(re.findall(r"\$\{([A-Z_]+)", text.partition("\nservices:")[2])) == {*documented, "SHOP_PORT"}
    service, caddy = services["barcodesvc"], services["caddy"]
    address = caddy["networks"]["default"]["ipv4_address"]
    assert service["environment"][f"{PREFIX}TRUSTED_PROXIES"] == address
    assert ip_address(address) in ip_network(network["subnet"])
    assert set(caddy["environment"]) == set(re.findall(r"\{\$([A-Z_]+):", (EXAMPLES / "Caddyfile").read_text("utf-8")))
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert float(service["stop_grace_period"].removesuffix("s")) > LONGEST_STOP
