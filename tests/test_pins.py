"""Dependencies are pinned, with hashes, under compatible licences; and how scripts/audit reads its results."""

import configparser
import importlib.metadata
import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from scripts import audit
from scripts.lock import BASE, BUILD, CONSTRAINTS, LOCKED, normalised, pins
from tests.pages import code, table
from tests.sweeps import sweep

ROOT = Path(__file__).parents[1]
SETUP = configparser.ConfigParser()
SETUP.read(ROOT / "setup.cfg")
WANTED = {
    BASE: SETUP["options"]["install_requires"].split("\n"),
    BUILD: tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"],
    **{extra: value.split("\n") for extra, value in SETUP["options.extras_require"].items()},
}
FAMILIES = {
    "MIT-CMU": "MIT-CMU",
    "AGPL|Affero": "AGPL",
    "OFL": "OFL",
    "PSF|Python Software Foundation": "PSF",
    "Apache": "Apache",
    "BSD": "BSD",
    r"(?<!-)\bMIT\b(?!-)": "MIT",
}
"""Spellings of licences in metadata."""
COMPATIBLE = frozenset(FAMILIES.values())
"""Licences compatible with AGPL-3.0-or-later: permissive ones, itself, and one for fonts, which are only bundled."""


def locked(name: str) -> dict[str, str]:
    """Return the versions in a file of hashed requirements."""
    return pins((LOCKED / f"{name}.txt").read_text("utf-8"))


def families(text: str) -> set[str]:
    """Return the licence families that a text names."""
    return {family for pattern, family in FAMILIES.items() if re.search(pattern, text)}


def licences(distribution: importlib.metadata.Distribution) -> set[str]:
    """Return the licence families of an installed package."""
    metadata = distribution.metadata
    classified = [line for line in metadata.get_all("Classifier") or () if line.startswith("License ::")]
    return families(
        metadata["License-Expression"] or " ".join([*(metadata["License"] or "").splitlines()[:1], *classified])
    )


def needed(name: str, seen: set[str]) -> Iterator[importlib.metadata.Distribution]:
    """Yield a package's runtime requirements, and theirs, once each."""
    for text in importlib.metadata.requires(name) or ():
        requirement = Requirement(text)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and normalised(requirement.name) not in seen:
            seen.add(normalised(requirement.name))
            yield importlib.metadata.distribution(requirement.name)
            yield from needed(requirement.name, seen)


RUN_TIME = list(needed("barcodesvc", set()))


@pytest.mark.parametrize("name", WANTED)
def test_everything_wanted_is_locked(name: str) -> None:
    """Each requirement of setup.cfg and pyproject.toml has a pinned release in its range; if not, run scripts/lock."""
    have = locked(name) | locked(BASE)
    for text in filter(None, WANTED[name]):
        requirement = Requirement(text)
        assert Version(have[normalised(requirement.name)]) in requirement.specifier, text


def test_there_is_a_file_for_each_extra() -> None:
    """No file of a removed extra is left."""
    assert {path.stem for path in LOCKED.iterdir()} == set(WANTED)


def test_the_constraints_are_what_is_locked() -> None:
    """Versions are equal in both files, and nothing unnecessary is pinned; if not, run scripts/lock."""
    together = {name: version for part in WANTED for name, version in locked(part).items()}
    assert pins(CONSTRAINTS.read_text("utf-8")) == together


@pytest.mark.parametrize("name", WANTED)
def test_every_locked_release_has_hashes(name: str) -> None:
    """Every requirement has a SHA-256, and comes from the index."""
    lines = (LOCKED / f"{name}.txt").read_text("utf-8").splitlines()[1:]
    assert all(
        re.fullmatch(r"[\w.-]+==[\w.+!-]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?", line) for line in lines
    )
    assert all(after.startswith("    --hash") for line, after in pairwise(lines) if "==" in line)


def test_the_installation_asks_for_hashes() -> None:
    """Downloads are verified by hash; the project itself is installed without network access."""
    script = (ROOT / "scripts" / "setup").read_text("utf-8").replace("\\\n", " ")
    installs = [line for line in script.splitlines() if line.startswith('"$environment/bin/pip" install ')]
    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    assert "--no-index --no-deps --no-build-isolation --editable ." in installs[1]


@sweep("row", table("docs/development.md", "Dependencies"))
def test_the_licence_in_the_table_is_the_package_s(row: list[str]) -> None:
    """The documentation names the packages' own licences."""
    name = code(row[0])
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{name} does not install here")
    assert families(row[2]) == licences(distribution)


@sweep("distribution", RUN_TIME)
def test_every_licence_goes_with_the_service_s(distribution: importlib.metadata.Distribution) -> None:
    """No runtime dependency, however indirect, has a licence that the project's does not allow."""
    assert licences(distribution)
    assert licences(distribution) <= COMPATIBLE


CLEAN = {"name": "a", "version": "1", "vulns": []}
UNKNOWN = {"name": "b", "skip_reason": "not found"}
VULNERABLE = {"name": "c", "version": "2", "vulns": [{"id": "X-1"}]}


def test_an_audit_tells_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding fails the audit until it is explained; a release that the service does not know is named."""
    assert audit.report([CLEAN], "") == (0, ["1 of 1 releases audited, 0 findings"])
    status, lines = audit.report([CLEAN, UNKNOWN, VULNERABLE], "")
    assert (status, lines[0]) == (1, "c 2: X-1: NOT EXPLAINED")
    assert lines[1:] == [
        "NOT AUDITED: 1 releases that the advisory service does not know: b",
        "2 of 3 releases audited, 1 findings",
    ]
    monkeypatch.setattr(audit, "EXPLAINED", {"X-1": "never called"})
    assert audit.report([VULNERABLE], "") == (0, ["c 2: X-1: never called", "1 of 1 releases audited, 1 findings"])


def test_an_audit_that_cannot_ask_says_so() -> None:
    """An unreachable service is neither a failure of the project nor a clean result."""
    status, [line] = audit.report([], "no route")
    assert (status, line) == (0, "NOT AUDITED: the advisory service could not be asked: no route")
