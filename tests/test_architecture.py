"""Architecture: packages import downwards only, and only its owners import a library."""

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

from tests.sweeps import sweep

PACKAGE = Path(__file__).parents[1] / "barcodesvc"

FLOORS = {
    "__main__": 12,
    "app": 11,
    "configuration_check": 11,
    "printer_commands": 11,
    "api": 10,
    "commands": 10,
    "service": 9,
    "printers": 8,
    "catalogue": 7,
    "scanning": 7,
    "labels": 7,
    "codes": 6,
    "store": 6,
    "spreadsheets": 6,
    "drawing": 5,
    "symbols": 5,
    "numbers": 4,
    "gs1": 3,
    "runtime": 3,
    "validation": 3,
    "config": 2,
    "models": 2,
    "print_jobs": 2,
    "errors": 1,
    "addresses": 0,
    "amounts": 0,
    "printer_addresses": 0,
    "fields": 0,
    "clock": 0,
    "texts": 0,
    "sql": 0,
}

OWNERS = {
    "aiohttp": {"api", "app", "__main__"},
    "aiohttp_cors": {"app"},
    "aiosqlite": {"store/sqlite"},
    "asyncpg": {"store/postgres"},
    "sqlite3": {"store/sqlite"},
    "barcode": {"symbols/libraries"},
    "segno": {"symbols/qr"},
    "zxingcpp": {"symbols/libraries", "scanning/images"},
    "PIL": {"labels/pictures", "labels/writers", "scanning/images"},
    "borb": {"labels/writers"},
    "babel": {"amounts"},
    "uharfbuzz": {"drawing", "labels/text"},
    "pymupdf_fonts": {"drawing"},
    "openpyxl": {"spreadsheets"},
    "xlrd": {"spreadsheets/xls"},
    "python_calamine": {"spreadsheets/ods"},
    "charset_normalizer": {"spreadsheets/encodings"},
    "cachetools": {"codes/renderer", "api/guard", "api/resources", "printers/documents"},
    "h11": {"printers/ipp_http"},
    "limits": {"api/guard"},
    "multidict": {"api"},
    "multipart": {"api/forms"},
    "prometheus_client": {"api/observe", "api/resources"},
    "psutil": {"api/resources", "store/sqlite"},
    "pydantic": {
        "api",
        "catalogue/rows",
        "catalogue/staged_table",
        "config",
        "fields",
        "labels/label_requests",
        "labels/layout_requests",
        "models",
        "printers/layouts",
        "scanning/gs1_data",
        "scanning/images",
        "scanning/resolver",
        "scanning/unresolved",
        "symbols/registry",
        "validation",
    },
    "pydantic_core": {
        "api",
        "config",
        "labels/label_requests",
        "store/attributes",
        "store/idempotency",
        "store/scans",
        "validation",
    },
    "typing_extensions": {
        "api",
        "errors",
        "labels/label_requests",
        "labels/layout_requests",
        "scanning/gs1_data",
        "scanning/pack_data",
        "scanning/unresolved",
    },
    "uvloop": {"__main__"},
    "valkey": {"api/guard"},
    "zeroconf": {"printer_commands"},
}
"""The parts, packages and modules that may import a library; pydantic is at the edge, where external data arrives, and
pydantic_core writes JSON. A library without an owner may not be imported."""

LABEL_FLOORS = {
    "sheet_queue": 7,
    "label_data": 6,
    "sheet_job": 6,
    "label_requests": 5,
    "output": 4,
    "sheet_layout": 4,
    "layout_requests": 3,
    "label_layout": 3,
    "writers": 3,
    "text_lines": 2,
    "sheet_drawing": 2,
    "grid": 2,
    "label_content": 2,
    "text": 1,
    "payloads": 1,
    "sheets": 1,
    "pictures": 0,
    "placeholders": 0,
    "resolution": 0,
}
"""The floors within labels/: writers know drawings and text, layout knows no writer, and text neither."""

STORE_FLOORS = {
    "__init__": 0,
    "script": 0,
    "limits": 0,
    "queries": 0,
    "migrations": 1,
    "database": 1,
    "copying": 2,
    "attributes": 2,
    "scans": 3,
    "sessions": 2,
    "saved": 2,
    "idempotency": 2,
    "lists": 3,
    "products": 3,
    "inventory": 4,
    "movements": 4,
    "print_jobs": 4,
    "staging": 4,
}
"""The store's interface; the engines implement it, and know only the modules named below."""
ENGINES = {"postgres", "sqlite"}
ENGINE_KNOWS = {
    "copying",
    "script",
    "limits",
    "queries",
    "migrations",
    "database",
}
ENGINE_USERS = {"store/engines", "commands", "configuration_check"}
"""Modules that choose an engine, or copy its files."""

API_FLOORS = {
    "routes": 10,
    "openapi": 9,
    "resources": 8,
    "endpoint": 7,
    "signature": 6,
    "idempotency": 5,
    "connections": 6,
    "server": 7,
    "error_middleware": 5,
    "forms": 5,
    "event_stream": 4,
    "batches": 4,
    "bodies": 4,
    "parameters": 3,
    "responses": 3,
    "nowhere": 3,
    "guard": 2,
    "observe": 1,
    "client_address": 0,
    "keys": 0,
}
"""The floors within api/: observability and guards see only a request's head, so they are below the modules that read
bodies and write responses; what wraps every handler knows none of them."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def unit_of(module: Path) -> str:
    """Return the part of the package that a file belongs to: its subpackage, or its own name."""
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def owners_of(module: Path) -> set[str]:
    """Return the names under which a file can own a library: its part, and its package or its own name within that."""
    parts = module.relative_to(PACKAGE).with_suffix("").parts
    return {parts[0], "/".join(parts[:2])}


def imports_of(module: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, anywhere in the file."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def units_imported(module: Path) -> set[str]:
    """Return the parts of the package that a file imports."""
    parts = [name.split(".") for name in imports_of(module) if name.startswith("barcodesvc.")]
    return {part[1] for part in parts} - {unit_of(module)}


def test_every_part_has_a_floor() -> None:
    """A new module must be added to this file's floors."""
    assert {unit_of(module) for module in MODULES} - {"__init__"} == FLOORS.keys() - {"sql"}


@sweep("module", MODULES)
def test_imports_go_down(module: Path) -> None:
    """A module imports only from floors below its own."""
    unit = unit_of(module)
    upward = {other for other in units_imported(module) if FLOORS[other] >= FLOORS.get(unit, 0)}
    assert upward == set()


def store_modules(module: Path) -> set[str]:
    """Return the modules and packages of the store that a file imports."""
    parts = [name.split(".") for name in imports_of(module) if name.startswith("barcodesvc.store.")]
    return {part[2] for part in parts if part[2] in STORE_FLOORS or part[2] in ENGINES}


def test_the_store_has_floors() -> None:
    """The store's interface imports downwards only, and knows no engine."""
    modules = {module.stem: module for module in MODULES if module.parent == PACKAGE / "store"}
    assert modules.keys() - {"engines"} == STORE_FLOORS.keys()
    for name, module in modules.items() - {("engines", modules["engines"])}:
        assert {other for other in store_modules(module) if STORE_FLOORS.get(other, 9) >= STORE_FLOORS[name]} == set()


@sweep("module", MODULES)
def test_engines_are_known_where_one_is_chosen(module: Path) -> None:
    """Other modules use the names of queries; an engine in turn knows nothing of products and levels."""
    own = ENGINES & {*module.relative_to(PACKAGE).parts}
    if own:
        assert store_modules(module) - own <= ENGINE_KNOWS
    elif ENGINES & store_modules(module):
        assert str(module.relative_to(PACKAGE).with_suffix("")) in ENGINE_USERS


@sweep("module", MODULES)
def test_libraries_stay_with_their_owners(module: Path) -> None:
    """Only its owners import a library, and one without an owner is not imported."""
    tops = {name.partition(".")[0] for name in imports_of(module)} - {"barcodesvc", ""}
    libraries = tops - (sys.stdlib_module_names - OWNERS.keys())
    assert {library for library in libraries if not owners_of(module) & OWNERS.get(library, set())} == set()


@pytest.mark.parametrize(("package", "floors"), [("labels", LABEL_FLOORS), ("api", API_FLOORS)])
def test_a_package_has_floors(package: str, floors: dict[str, int]) -> None:
    """A module imports only from floors below its own; a nested package is one part."""
    for module in set((PACKAGE / package).rglob("*.py")) - {PACKAGE / package / "__init__.py"}:
        part = module.relative_to(PACKAGE / package).parts[0].removesuffix(".py")
        parts = [name.split(".") for name in imports_of(module) if name.startswith(f"barcodesvc.{package}.")]
        others = {names[2] for names in parts} - {part}
        assert {other for other in others if floors[other] >= floors[part]} == set(), module


MOST_FILES_OF_API = 60


def test_only_http_is_in_the_api() -> None:
    """What reads no request and writes no response is on a lower floor; the number of files shows what has drifted in.

    No folder of the API contains another one.
    """
    modules = [module.relative_to(PACKAGE / "api") for module in (PACKAGE / "api").rglob("*.py")]
    assert len(modules) <= MOST_FILES_OF_API
    assert max(len(module.parts) for module in modules) == 2


PLAIN_PACKAGES = [
    "catalogue",
    "codes",
    "drawing",
    "gs1",
    "numbers",
    "printers",
    "runtime",
    "scanning",
    "spreadsheets",
    "symbols",
]
PARTS_OF_API = ["api/guard", "api/observe", "api/openapi", "api/resources"]


@pytest.mark.parametrize("package", [*PLAIN_PACKAGES, *PARTS_OF_API])
def test_a_package_has_no_circles(package: str) -> None:
    """Modules of a package can be read one after the other, each before those that depend on it."""
    modules = {module.stem: module for module in (PACKAGE / package).glob("*.py")}
    prefix = f"barcodesvc.{package.replace('/', '.')}."
    uses = {
        name: {used.removeprefix(prefix).split(".")[0] for used in imports_of(module) if used.startswith(prefix)}
        & modules.keys() - {name}
        for name, module in modules.items()
    }
    assert list(TopologicalSorter(uses).static_order())


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
