"""What the house is built of: declared where it is used, pinned by hashes, under compatible licences.

`lint-imports` checks what may import what.
"""

import ast
import configparser
import importlib.metadata
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from scripts import audit
from scripts.lock import BASE, BUILD, CONSTRAINTS, LOCKED, normalised, pins
from scripts.mutate import SCORES, TESTS
from tests.pages import ROOT, code, table
from tests.sweeps import sweep

PACKAGE = ROOT / "barcodesvc"
MODULES = sorted(PACKAGE.rglob("*.py"))
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


def imports_of(module: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, anywhere in the file."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_package_is_installed() -> None:
    """setup.cfg names each folder of modules: one that is missing there is missing in a wheel alone."""
    folders = {module.parent.relative_to(ROOT).as_posix().replace("/", ".") for module in MODULES}
    assert set(SETUP["options"]["packages"].split()) == {*folders, "barcodesvc.sql"}


def test_every_library_that_is_imported_is_declared() -> None:
    """No library is present only as a dependency of another: setup.cfg requires each by name."""
    wanted = [text for extra in (BASE, "postgres", "valkey", "find") for text in WANTED[extra] if text]
    declared = {normalised(Requirement(text).name) for text in wanted}
    tops = {name.partition(".")[0] for module in MODULES for name in imports_of(module)}
    foreign = tops - sys.stdlib_module_names - {"barcodesvc", ""}
    providers = importlib.metadata.packages_distributions()
    missing = [name for name in foreign if declared.isdisjoint(map(normalised, providers.get(name, [name])))]
    assert missing == []


def test_floor_table_is_the_one_that_imports_keep() -> None:
    """The table of the floors has every part of the package on its floor, from the top down, and no other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    floors = [set(layer.split(" | ")) for layer in contracts[0]["layers"]]
    named = [
        {re.sub(r"\.py$|/.*$", "", part) for part in re.findall(r"`barcodesvc/([^`]*)`", row[1])}
        for row in table("docs/architecture.md", "Floors")
    ]
    assert named == floors


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


@sweep("name", WANTED)
def test_everything_wanted_is_locked(name: str) -> None:
    """Each requirement of setup.cfg and pyproject.toml has a pinned release in its range; if not, run scripts/lock."""
    have = locked(name) | locked(BASE)
    for text in filter(None, WANTED[name]):
        requirement = Requirement(text)
        assert Version(have[normalised(requirement.name)]) in requirement.specifier, text


def test_the_constraints_are_what_is_locked() -> None:
    """Versions are equal in both files, no file of a removed extra is left; if not, run scripts/lock."""
    assert {path.stem for path in LOCKED.iterdir()} == set(WANTED)
    together = {name: version for part in WANTED for name, version in locked(part).items()}
    assert pins(CONSTRAINTS.read_text("utf-8")) == together


@sweep("name", WANTED)
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
    with suppress(importlib.metadata.PackageNotFoundError):  # one of an extra need not be installed
        assert families(row[2]) == licences(importlib.metadata.distribution(code(row[0])))


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


def test_the_table_of_mutations_names_what_is_there() -> None:
    """A module that is renamed and tests that are moved are so in scripts/mutate too, and each module has a score."""
    assert list(json.loads(SCORES.read_text("utf-8"))) == sorted(TESTS)
    tests = [ROOT / "tests" / name for names in TESTS.values() for name in names]
    assert [path for path in (*tests, *(PACKAGE / f"{module}.py" for module in TESTS)) if not path.is_file()] == []
