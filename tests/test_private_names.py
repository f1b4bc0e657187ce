"""Libraries' private attributes are not used, not even inherited ones, except a few whose modules say why."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

PACKAGE = Path(__file__).parents[1] / "barcodesvc"

ALLOWED = {
    "api/connections.py": {"_messages"},
    "labels/writers/pdf_document.py": {"_append_bytes"},
}
"""Private library names that a module uses; its docstring says why, and a test fails if a release changes them."""
DOCUMENTED = {"_asdict", "_exit", "_fields", "_make", "_replace"}
"""Names that the standard library documents: of `os`, and of named tuples, where they cannot be fields."""
OWN = {"self", "cls"}


def is_private(name: str) -> bool:
    """Return whether a name begins with one underscore, and is not a usual name of the language."""
    return name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED


def attributes(tree: ast.AST, *, of_itself: bool) -> set[str]:
    """Return the private attributes that code uses on `self` and `cls`, or on anything else."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and is_private(node.attr)
        if (isinstance(node.value, ast.Name) and node.value.id in OWN) == of_itself
    }


@cache  # inspect.getsource would parse a file once for each of its classes
def classes_of(path: str) -> dict[str, ast.ClassDef]:
    """Return the classes of a file by their qualified names; of two with the same name, the last one."""
    found: dict[str, ast.ClassDef] = {}

    def look(node: ast.AST, outer: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                found[outer + child.name] = child
                look(child, f"{outer}{child.name}.")
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                look(child, f"{outer}{child.name}.<locals>.")
            else:
                look(child, outer)

    look(ast.parse(Path(path).read_bytes()), "")
    return found


@cache  # many classes share the same few base classes
def names_of(described: type) -> set[str]:
    """Return the private names of a class: its methods and constants, and the attributes that its methods use."""
    try:
        source = classes_of(inspect.getfile(described))[described.__qualname__]
    except (OSError, TypeError, KeyError):  # it is written in C, or made by a function
        return set(filter(is_private, vars(described)))
    names = {node.name for node in ast.walk(source) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    constants = {node.id for node in ast.walk(source) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return attributes(source, of_itself=True) | set(filter(is_private, names | constants))


def inherited(module: ModuleType) -> Iterator[str]:
    """Yield the private names that the module's classes share with their base classes from libraries."""
    house = module.__name__.partition(".")[0]
    for described in vars(module).values():
        if inspect.isclass(described) and described.__module__ == module.__name__:
            libraries = (base for base in described.__mro__ if base.__module__.partition(".")[0] != house)
            own = names_of(described)  # type: ignore[arg-type]  # mypy takes the hash of instances for that of the class
            yield from own & set().union(*(names_of(base) for base in libraries))


def foreign(tree: ast.Module) -> Iterator[str]:
    """Yield the private attributes of other objects that the code uses, except those of its own classes."""
    yield from attributes(tree, of_itself=False) - attributes(tree, of_itself=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"getattr", "setattr"}:
            name = node.args[1]
            if isinstance(name, ast.Constant) and is_private(str(name.value)):
                yield str(name.value)
        if isinstance(node, ast.ImportFrom) and not str(node.module).startswith("barcodesvc"):
            yield from (alias.name for alias in node.names if is_private(alias.name))


def private_names(path: Path) -> set[str]:
    """Return the private library names that a module uses."""
    dotted = ".".join(("barcodesvc", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    return {*inherited(importlib.import_module(dotted)), *foreign(ast.parse(path.read_text("utf-8")))}


def test_private_names_of_libraries_are_used_where_it_is_allowed_alone() -> None:
    """A further name, inherited or not, fails here; so does an allowed one that is no longer used."""
    found = {str(path.relative_to(PACKAGE)): private_names(path) for path in sorted(PACKAGE.rglob("*.py"))}
    assert {path: names for path, names in found.items() if names} == ALLOWED


TESTS = Path(__file__).parent
PRIVATE = re.compile(r"noqa: SLF001|^\s*(?:from|import) .*\b_[a-z]", re.MULTILINE)
"""A line for which ruff permits a private attribute, or an import of a private module or name."""
TEXT = re.compile(r"""["'](?:[\w.]*\.)?(_[A-Za-z]\w*)["']""")


def test_tests_and_scripts_use_no_private_names() -> None:
    """They use no private attribute, module or name of the package or of a library."""
    files = [path for folder in (TESTS, TESTS.parent / "scripts") for path in folder.rglob("*.py")]
    assert [path for path in files if path != Path(__file__) and PRIVATE.search(path.read_text("utf-8"))] == []


def defined(path: Path) -> Iterator[str]:
    """Yield the private functions, classes and constants of a module."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from filter(is_private, [node.name])
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield from filter(is_private, [node.id])


def test_tests_and_scripts_replace_no_private_names() -> None:
    """They do not name private names of the package in texts either, as `monkeypatch.setattr` takes them."""
    libraries = set().union(*ALLOWED.values())
    private = {name for path in PACKAGE.rglob("*.py") for name in defined(path)} - libraries
    files = [path for folder in (TESTS, TESTS.parent / "scripts") for path in folder.rglob("*.py")]
    found = {
        str(path.relative_to(TESTS.parent)): private & set(TEXT.findall(path.read_text("utf-8")))
        for path in files
        if path != Path(__file__)
    }
    assert {path: names for path, names in found.items() if names} == {}


EXAMPLE = """
from logging import Formatter

class Reading(Formatter):
    def used(self):
        return self._fmt

class Overriding(Formatter):
    def _own(self):
        return self._mine
"""


def test_what_a_class_inherits_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A private attribute that a library's class sets is found if a subclass reads it; the subclass's own are not."""
    tmp_path.joinpath("builds_on_libraries.py").write_text(EXAMPLE)
    monkeypatch.syspath_prepend(tmp_path)
    assert set(inherited(importlib.import_module("builds_on_libraries"))) == {"_fmt"}
