"""docs/examples/Containerfile and compose.yaml fit the repository, the settings and each other.

`scripts/chaos install` builds and runs the first.
"""

import configparser
import json
import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from barcodesvc.config import PREFIX, Settings, load_settings
from tests.pages import ROOT, section

EXAMPLE = ROOT / "docs" / "examples" / "Containerfile"
COMPOSE = EXAMPLE.with_name("compose.yaml")


def words(instruction: str) -> list[str]:
    """Return what follows each instruction of this name in the Containerfile."""
    lines = re.sub(r"^\s*#.*\n", "", EXAMPLE.read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    steps = [line.strip().partition(" ") for line in lines if line.strip()]
    return [rest.strip() for name, _, rest in steps if name == instruction]


def variables() -> dict[str, str]:
    """Return the variables that the image sets."""
    return dict(word.split("=", 1) for text in words("ENV") for word in text.split())


@pytest.fixture(scope="module")
def composed() -> Any:
    """Return compose.yaml, parsed."""
    return yaml.safe_load(COMPOSE.read_text("utf-8"))


@pytest.fixture(scope="module")
def documented() -> dict[str, str]:
    """Return the settings in the comments at its top, with a key in place of each `...`."""
    head = COMPOSE.read_text("utf-8").partition("\nname:")[0]
    found = re.findall(r"^# {5}([A-Z_]+)=(\S+)", head, re.MULTILINE)
    return {name: value.replace("...", "0123456789abcdef01234567") for name, value in found}


def test_everything_that_is_copied_exists() -> None:
    """Paths are relative to the top folder of the repository."""
    copied = [text.split()[:-1] for text in words("COPY") if not text.startswith("--from=")]
    sources = [source for group in copied for source in group]
    assert {"barcodesvc", "sql", "setup.cfg"} <= set(sources)
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_the_image_has_what_is_locked_for_users() -> None:
    """It installs the packages of the service, of both servers and of npm, each with its hash."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    [installing] = [text for text in words("RUN") if "--requirement" in text]
    locked = re.findall(r"--requirement (\S+)", installing)
    assert {Path(name).stem for name in locked} == {"build", "base", "npm", "postgres", "valkey"}
    assert all((ROOT / name).is_file() for name in locked)
    assert "--require-hashes" in installing
    assert all("--no-index" in text for text in words("RUN") if "pip install" in text and text != installing)
    assert json.loads(words("CMD")[0])[0] in setup["options.entry_points"]["console_scripts"].split()


def test_the_image_serves_from_its_volume_without_root() -> None:
    """The database is in the volume, whose folder belongs to the account of the service."""
    [volume], [user], [port] = words("VOLUME"), words("USER"), words("EXPOSE")
    settings = load_settings({name: value for name, value in variables().items() if name.startswith(PREFIX)})
    owner, _, group = user.partition(":")
    assert int(owner) > 0
    assert str(settings.database).startswith(f"{volume}/")
    assert settings.port == int(port)
    assert settings.host == "0.0.0.0"  # noqa: S104 - of the container
    assert any(f"--owner {owner} --group {group} --mode 700 {volume}" in text for text in words("RUN"))


def test_the_health_check_asks_the_service() -> None:
    """It requests /health on the port of the service."""
    [check] = words("HEALTHCHECK")
    assert f"http://127.0.0.1:{Settings().port}/health" in check


def test_the_readme_runs_the_image_as_it_is_made() -> None:
    """The commands mount its volume, publish its port, and wait longer than the service takes to stop."""
    start = section("README.md", "Start")
    assert f"--file {EXAMPLE.relative_to(ROOT)} ." in start
    assert f":{words('VOLUME')[0]} " in start
    assert f"--publish 8080:{words('EXPOSE')[0]} " in start
    seconds = re.search(r"--stop-timeout (\d+) ", start)
    assert seconds
    assert int(seconds[1]) > 2 * Settings().stop_timeout


def test_compose_builds_the_image_and_mounts_files_that_exist(composed: Any) -> None:
    """Paths are relative to compose.yaml; each named volume is declared, and each declared one is used."""
    service = composed["services"]["barcodesvc"]
    context = COMPOSE.parent / service["build"]["context"]
    assert (context / service["build"]["dockerfile"]).samefile(EXAMPLE)
    sources = [mount.partition(":")[0] for each in composed["services"].values() for mount in each.get("volumes", [])]
    files = {source for source in sources if source.startswith(".")}
    assert all((COMPOSE.parent / source).is_file() for source in files)
    assert set(sources) - files == set(composed["volumes"])


def test_compose_documents_the_settings_that_it_takes(composed: Any, documented: dict[str, str]) -> None:
    """Each variable that it reads is described at its top, and no other."""
    text = COMPOSE.read_text("utf-8").partition("\nservices:")[2]
    bare = {
        name
        for each in composed["services"].values()
        for name, value in each.get("environment", {}).items()
        if value is None
    }
    described = set(documented) | {"SHOP_PORT"}
    assert "SHOP_PORT=8080" in COMPOSE.read_text("utf-8")
    assert set(re.findall(r"\$\{([A-Z_]+)", text)) | bare == described


def test_the_documented_settings_are_valid(documented: dict[str, str]) -> None:
    """The service accepts those that are for it."""
    settings = load_settings({name: value for name, value in documented.items() if name.startswith(PREFIX)})
    assert settings.rate_limit_store
    assert settings.api_key


def test_addresses_in_settings_are_services_of_the_profile(composed: Any, documented: dict[str, str]) -> None:
    """PostgreSQL and Valkey are reached by the names of their services, which one profile starts."""
    names = {re.sub(r".*[@/]([a-z]+)(/.*)?$", r"\1", documented[PREFIX + name]) for name in ("RATE_LIMIT_STORE",)}
    names |= set(re.findall(r"@([a-z]+)/", documented[f"{PREFIX}DATABASE"]))
    assert names == {"postgres", "valkey"}
    assert all(composed["services"][name]["profiles"] == ["postgres"] for name in names)


def test_only_caddy_is_a_trusted_proxy(composed: Any) -> None:
    """Its address is fixed, in the network of the services, and behind those that are given to others."""
    [network] = composed["networks"]["default"]["ipam"]["config"]
    caddy = composed["services"]["caddy"]
    address = caddy["networks"]["default"]["ipv4_address"]
    assert composed["services"]["barcodesvc"]["environment"][f"{PREFIX}TRUSTED_PROXIES"] == address
    assert ip_address(address) in ip_network(network["subnet"])
    assert caddy["profiles"] == ["https"]


def test_the_service_is_confined_and_may_end_by_itself(composed: Any) -> None:
    """Its root is read-only, it has no capabilities, and it has the time that a stop may take."""
    service = composed["services"]["barcodesvc"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert float(service["stop_grace_period"].removesuffix("s")) > 2 * Settings().stop_timeout


def test_caddy_takes_its_settings_from_compose(composed: Any) -> None:
    """The Caddyfile reads each variable that compose.yaml sets for it."""
    read_here = set(re.findall(r"\{\$([A-Z_]+):", (COMPOSE.parent / "Caddyfile").read_text("utf-8")))
    assert set(composed["services"]["caddy"]["environment"]) == read_here
