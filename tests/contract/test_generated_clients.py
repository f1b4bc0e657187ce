"""Clients that are generated as docs/clients.md says: they type-check, and make the calls of the tour."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.contract.documented_calls import documented_calls
from tests.pages import ROOT, section
from tests.served import UNLIMITED, Service

pytestmark = pytest.mark.full_run

TOURS = Path(__file__).with_name("clients")
TOOLS = ROOT / ".venv/client-tools/node_modules"
LONGEST = 300.0
"""Seconds after which a command is given up; each takes some 10."""


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service that serves its document."""
    with Service(tmp_path_factory.mktemp("documented"), **UNLIMITED) as running:
        yield running


def run(command: Sequence[str], folder: Path, programs: Path) -> str:
    """Run a command that finds `programs` first, and return its output; raises AssertionError with what went wrong."""
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    ran = subprocess.run(  # noqa: S603 - a command of the documentation
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def command_of(page_section: str, program: str, served: Service) -> list[str]:
    """Return the command line of a program in docs/clients.md, for this service."""
    [line] = re.findall(rf"^{program} .*$", section("docs/clients.md", page_section), re.MULTILINE)
    return shlex.split(line.replace("http://127.0.0.1:8080", served.address))


def example_of(page_section: str, language: str, served: Service) -> str:
    """Return the example of a section of docs/clients.md, for this service."""
    [example] = re.findall(rf"```{language}\n(.*?)```", section("docs/clients.md", page_section), re.DOTALL)
    return str(example).replace("http://127.0.0.1:8080", served.address)


@pytest.fixture(scope="session")
def demo_files() -> Path:
    """Return the folder with the workbook and the picture that the tour uploads."""
    run([sys.executable, "-m", "scripts.demo"], ROOT, Path(sys.executable).parent)
    return ROOT / "demo-output"


@pytest.fixture(scope="module")
def python_client(documented: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a package that openapi-python-client has generated, with the tour next to it."""
    pytest.importorskip("openapi_python_client", reason="`scripts/setup test` installs openapi-python-client")
    folder = tmp_path_factory.mktemp("python")
    run(command_of("In Python", "openapi-python-client", documented), folder, Path(sys.executable).parent)
    package = folder / "barcodesvc-client"
    shutil.copy(TOURS / "tour.py", package)
    (package / "example.py").write_text(example_of("In Python", "python", documented), "utf-8")
    return package


@pytest.fixture(scope="module")
def typescript_client(documented: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the types that openapi-typescript has generated, with the tour next to them, compiled."""
    if shutil.which("node") is None or not TOOLS.is_dir():
        pytest.skip("needs Node, and the packages that `scripts/node-tools` installs")
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "node_modules").symlink_to(TOOLS)
    for name in ("package.json", "tsconfig.json", "tour.ts"):
        shutil.copy(TOURS / name, folder)
    (folder / "example.ts").write_text(example_of("In TypeScript", "ts", documented), "utf-8")
    run(command_of("In TypeScript", "npx openapi-typescript", documented), folder, TOOLS / ".bin")
    run(["tsc", "--project", "tsconfig.json"], folder, TOOLS / ".bin")
    return folder


def requests_of(output: str) -> list[dict[str, Any]]:
    """Return the requests that a tour has printed."""
    return [json.loads(line) for line in output.splitlines()]


def test_a_client_in_python_type_checks(python_client: Path) -> None:
    """Mypy finds nothing, in strict mode, in the package and in programs that use it."""
    pytest.importorskip("mypy", reason="`scripts/setup check` installs mypy")
    strict = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "barcodesvc_client", "tour.py", "example.py"]
    run(strict, python_client, Path(sys.executable).parent)


def test_the_example_in_python_runs(python_client: Path) -> None:
    """A catalogue without products has no product for the scan, but a proposal for one."""
    output = run([sys.executable, "example.py"], python_client, Path(sys.executable).parent)
    assert output.startswith("no product matches the scanned code ProposedProduct(product_code='4006381333931'")


def test_the_example_in_typescript_runs(typescript_client: Path) -> None:
    """A catalogue without products has no product for the scan."""
    assert run(["node", "built/example.js"], typescript_client, TOOLS / ".bin") == "no_product_matches\n"


def test_a_client_in_python_makes_every_call_that_answers_json(
    python_client: Path, served: Service, demo_files: Path
) -> None:
    """Each call of the tour, in order, gets the response that the program expects; the generator leaves files out."""
    output = run(
        [sys.executable, "tour.py", served.address, str(demo_files)], python_client, Path(sys.executable).parent
    )
    calls = [call for call in documented_calls() if call.answers_json]
    for request, call in zip(requests_of(output), calls, strict=True):
        assert call.is_made_by(request), (call, request)


def test_a_client_in_typescript_makes_every_call(typescript_client: Path, served: Service, demo_files: Path) -> None:
    """It compiles under `strict`, and each call of the tour, in order, gets the response that it expects."""
    output = run(["node", "built/tour.js", served.address, str(demo_files)], typescript_client, TOOLS / ".bin")
    for request, call in zip(requests_of(output), documented_calls(), strict=True):
        assert call.is_made_by(request), (call, request)


@pytest.mark.parametrize("change", [{"delta": -1}, {"delta": -2, "code_data": "x"}, {}])
def test_a_request_with_other_fields_is_not_the_documented_one(change: dict[str, Any]) -> None:
    """A tour that leaves a field out, or sends another value, does not pass for the page's."""
    [call] = [call for call in documented_calls() if call.path == "/api/codes/scan"]
    request = {"method": "POST", "path": "/api/codes/scan", "query": {}, "body": change}
    assert not call.is_made_by(request)
    assert call.is_made_by({**request, "body": call.body})
