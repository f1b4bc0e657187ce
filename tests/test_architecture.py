"""The house stands: floors import downwards only, and each library is known to its owner alone."""

from __future__ import annotations

import ast
import configparser
import importlib.metadata
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PACKAGE = Path(__file__).parents[1] / "barcodesvc"

FLOORS = {
    "__main__": 9,
    "app": 8,
    "commands": 8,
    "api": 7,
    "catalogue": 6,
    "scanning": 6,
    "labels": 6,
    "render": 5,
    "store": 5,
    "spreadsheets": 5,
    "symbols": 4,
    "gs1": 3,
    "runtime": 2,
    "config": 1,
    "models": 1,
    "errors": 0,
    "addresses": 0,
    "clock": 0,
    "sql": 0,
}

OWNERS = {
    "aiohttp": {"api", "app", "__main__"},
    "aiohttp_cors": {"app"},
    "aiosqlite": {"store/sqlite"},
    "asyncpg": {"store/postgres"},
    "sqlite3": {"store/sqlite"},
    "barcode": {"symbols/barcode_modules"},
    "segno": {"symbols"},
    "zxingcpp": {"symbols", "scanning/image_codes"},
    "PIL": {"render/text", "scanning/pixels"},
    "borb": {"labels/writers"},
    "uharfbuzz": {"labels/text"},
    "pymupdf_fonts": {"labels/text"},
    "openpyxl": {"spreadsheets"},
    "xlrd": {"spreadsheets/xls"},
    "cachetools": {"render/cache", "api/guard", "api/resources"},
    "limits": {"api/guard", "app", "config"},
    "multidict": {"api"},
    "prometheus_client": {"api/observe", "api/resources"},
    "psutil": {"api/resources"},
    "pydantic": {"api", "catalogue/rows", "config", "models", "scanning/gs1_data", "scanning/resolver"},
    "pydantic_core": {"api", "store/idempotency", "store/scans"},
    "typing_extensions": {"api", "scanning/gs1_data", "scanning/resolver"},
    "uvloop": {"__main__"},
    "valkey": {"api/guard"},
}
"""Which parts, packages and modules may import a library; pydantic is at the edge, where data of others comes in, and
pydantic_core writes JSON. A library that nobody owns may be imported nowhere."""

LABEL_FLOORS = {
    "print_queue": 7,
    "print_job": 6,
    "label_texts": 1,
    "sheet_layout": 5,
    "label_drawing": 4,
    "page_marks": 3,
    "label_layout": 3,
    "writers": 3,
    "text_lines": 2,
    "drawing": 2,
    "text": 1,
    "print_settings": 1,
    "resolution": 0,
    "named_sheets": 1,
    "grid": 1,
    "sheets": 0,
}
"""The floors within labels/: writers know drawings and text, layout knows no writer, and text neither."""

STORE_FLOORS = {
    "__init__": 0,
    "bounds": 0,
    "failure_log": 0,
    "query_times": 0,
    "script": 0,
    "snapshots": 0,
    "queries": 0,
    "background": 1,
    "copyable": 1,
    "copying": 2,
    "database": 1,
    "product_search": 2,
    "scans": 2,
    "page_sessions": 2,
    "idempotency": 2,
    "products": 3,
    "adjustments": 4,
    "inventory": 4,
    "staging": 4,
    "catalogue": 5,
    "change_list": 5,
}
"""What the service asks of a database; the engine is beside it, and knows no more than script, queries and database."""
ENGINES = {"postgres", "sqlite"}
ENGINE_KNOWS = {
    "background",
    "bounds",
    "copyable",
    "failure_log",
    "query_times",
    "script",
    "snapshots",
    "queries",
    "database",
}
ENGINE_USERS = {"store/engines", "commands"}
"""Who chooses an engine, or copies its files."""

API_FLOORS = {
    "routes": 9,
    "openapi": 8,
    "resources": 7,
    "uploads": 6,
    "connections": 6,
    "answering": 5,
    "forms": 5,
    "route": 5,
    "bad_http": 4,
    "event_stream": 4,
    "requests": 4,
    "whole_answers": 4,
    "responses": 3,
    "whole_requests": 3,
    "guard": 2,
    "observe": 1,
    "json_bodies": 1,
    "client_address": 0,
    "client_presence": 0,
    "content_codings": 0,
    "file_descriptors": 0,
    "keys": 0,
    "refusals": 0,
    "slow_readers": 0,
    "tls": 0,
}
"""The floors within api/: what counts and what guards see a request's head alone, so they lie below what reads bodies
and writes answers; what stands around every handler knows none of them."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def unit_of(module: Path) -> str:
    """Return the part of the house that a file belongs to: its package, or its own name."""
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def owners_of(module: Path) -> set[str]:
    """Return what a file can own a library as: its part of the house, and its package or its own name within that."""
    parts = module.relative_to(PACKAGE).with_suffix("").parts
    return {parts[0], "/".join(parts[:2])}


def imports_of(module: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def units_imported(module: Path) -> set[str]:
    """Return the parts of the house that a file imports."""
    parts = [name.split(".") for name in imports_of(module) if name.startswith("barcodesvc.")]
    return {part[1] for part in parts} - {unit_of(module)}


def test_every_part_has_a_floor() -> None:
    """A new module is given its floor in this file."""
    assert {unit_of(module) for module in MODULES} - {"__init__"} == FLOORS.keys() - {"sql"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(module: Path) -> None:
    """A module imports only from floors below its own."""
    unit = unit_of(module)
    upward = {other for other in units_imported(module) if FLOORS[other] >= FLOORS.get(unit, 0)}
    assert upward == set()


def store_modules(module: Path) -> set[str]:
    """Return the modules and packages of the store that a file imports."""
    parts = [name.split(".") for name in imports_of(module) if name.startswith("barcodesvc.store.")]
    return {part[2] for part in parts if part[2] in STORE_FLOORS or part[2] in ENGINES}


def test_the_store_has_floors_of_its_own() -> None:
    """What asks imports downwards only, and knows no engine."""
    modules = {module.stem: module for module in MODULES if module.parent == PACKAGE / "store"}
    assert modules.keys() - {"engines"} == STORE_FLOORS.keys()
    for name, module in modules.items() - {("engines", modules["engines"])}:
        assert {other for other in store_modules(module) if STORE_FLOORS.get(other, 9) >= STORE_FLOORS[name]} == set()


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_engines_are_known_where_one_is_chosen(module: Path) -> None:
    """Everything else asks by the names of queries; an engine in turn knows nothing of products and levels."""
    own = ENGINES & {*module.relative_to(PACKAGE).parts}
    if own:
        assert store_modules(module) - own <= ENGINE_KNOWS
    elif ENGINES & store_modules(module):
        assert str(module.relative_to(PACKAGE).with_suffix("")) in ENGINE_USERS


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_libraries_stay_with_their_owners(module: Path) -> None:
    """A library is imported only by those that own it, and one without an owner by nobody."""
    tops = {name.partition(".")[0] for name in imports_of(module)} - {"barcodesvc", ""}
    libraries = tops - (sys.stdlib_module_names - OWNERS.keys())
    assert {library for library in libraries if not owners_of(module) & OWNERS.get(library, set())} == set()


@pytest.mark.parametrize(("package", "floors"), [("labels", LABEL_FLOORS), ("api", API_FLOORS)])
def test_a_package_has_floors_of_its_own(package: str, floors: dict[str, int]) -> None:
    """A module imports only from the floors below its own; a package within it is one part."""
    for module in set((PACKAGE / package).rglob("*.py")) - {PACKAGE / package / "__init__.py"}:
        part = module.relative_to(PACKAGE / package).parts[0].removesuffix(".py")
        parts = [name.split(".") for name in imports_of(module) if name.startswith(f"barcodesvc.{package}.")]
        others = {names[2] for names in parts} - {part}
        assert {other for other in others if floors[other] >= floors[part]} == set(), module


PLAIN_PACKAGES = ["catalogue", "gs1", "render", "runtime", "scanning", "spreadsheets", "symbols"]
PARTS_OF_API = ["api/guard", "api/observe", "api/openapi", "api/resources"]


@pytest.mark.parametrize("package", [*PLAIN_PACKAGES, *PARTS_OF_API])
def test_a_package_has_no_circles(package: str) -> None:
    """Modules of a package can be read one after the other, each before those that build on it."""
    modules = {module.stem: module for module in (PACKAGE / package).glob("*.py")}
    prefix = f"barcodesvc.{package.replace('/', '.')}."
    uses = {
        name: {used.removeprefix(prefix).split(".")[0] for used in imports_of(module) if used.startswith(prefix)}
        & modules.keys() - {name}
        for name, module in modules.items()
    }
    assert list(TopologicalSorter(uses).static_order())


def served_with(setup: configparser.ConfigParser) -> list[str]:
    """Return what the extras ask for that a service is installed with."""
    return [setup["options.extras_require"][extra] for extra in ("postgres", "valkey")]


def test_every_library_that_is_imported_is_declared() -> None:
    """Nothing is there only because something else brings it along: setup.cfg asks for each by its own name."""
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
