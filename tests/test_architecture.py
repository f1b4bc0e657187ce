"""Packages and libraries are declared where they are used; `lint-imports` checks what may import what."""

import ast
import configparser
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

from tests.pages import table

PACKAGE = Path(__file__).parents[1] / "barcodesvc"
MODULES = sorted(PACKAGE.rglob("*.py"))


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
    setup = configparser.ConfigParser()
    setup.read(PACKAGE.parent / "setup.cfg")
    folders = {module.parent.relative_to(PACKAGE.parent).as_posix().replace("/", ".") for module in MODULES}
    assert set(setup["options"]["packages"].split()) == {*folders, "barcodesvc.sql"}


def served_with(setup: configparser.ConfigParser) -> list[str]:
    """Return the requirements of the extras that a service is installed with."""
    return [setup["options.extras_require"][extra] for extra in ("postgres", "valkey", "find")]


def test_every_library_that_is_imported_is_declared() -> None:
    """No library is present only as a dependency of another: setup.cfg requires each by name."""
    setup = configparser.ConfigParser()
    setup.read(PACKAGE.parent / "setup.cfg")
    wanted = filter(None, "\n".join([setup["options"]["install_requires"], *served_with(setup)]).split("\n"))
    declared = {Requirement(text).name.lower().replace("_", "-") for text in wanted}
    tops = {name.partition(".")[0] for module in MODULES for name in imports_of(module)}
    foreign = tops - sys.stdlib_module_names - {"barcodesvc", ""}
    providers = importlib.metadata.packages_distributions()
    missing = {
        name
        for name in foreign
        if not {one.lower().replace("_", "-") for one in providers.get(name, [name])} & declared
    }
    assert missing == set()


def test_floor_table_is_the_one_that_imports_keep() -> None:
    """The table of the floors has every part of the package on its floor, from the top down, and no other."""
    contracts = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    floors = [set(layer.split(" | ")) for layer in contracts[0]["layers"]]
    named = [
        {re.sub(r"\.py$|/.*$", "", part) for part in re.findall(r"`barcodesvc/([^`]*)`", row[1])}
        for row in table("docs/architecture.md", "Floors")
    ]
    assert named == floors
