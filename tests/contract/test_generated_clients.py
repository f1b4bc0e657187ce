"""Clients that are generated as docs/clients.md says: they type-check, and one makes the calls of the tour."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from tests.pages import ROOT, Step, section, tour
from tests.served import UNLIMITED, Service

pytestmark = pytest.mark.full_run

TOUR = Path(__file__).with_name("clients")
TOOLS = ROOT / ".venv/client-tools/node_modules"
OWN = Path(sys.executable).parent
"""The folder of the programs of this environment."""
LONGEST = 300.0
"""Seconds after which a command is given up; each takes some 10."""
CLOCKS = {"scanned_at"}
"""Fields whose values depend on the day."""


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service that serves its document, with an empty catalogue."""
    with Service(tmp_path_factory.mktemp("documented"), **UNLIMITED) as running:
        yield running


def run(command: Sequence[str], folder: Path, programs: Path = OWN) -> str:
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


@pytest.fixture(scope="module")
def python_client(documented: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a package that openapi-python-client has generated, with the page's example next to it."""
    pytest.importorskip("openapi_python_client", reason="`scripts/setup test` installs openapi-python-client")
    folder = tmp_path_factory.mktemp("python")
    run(command_of("In Python", "openapi-python-client", documented), folder)
    package = folder / "barcodesvc-client"
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
        shutil.copy(TOUR / name, folder)
    (folder / "example.ts").write_text(example_of("In TypeScript", "ts", documented), "utf-8")
    run(command_of("In TypeScript", "npx openapi-typescript", documented), folder, TOOLS / ".bin")
    run(["tsc", "--project", "tsconfig.json"], folder, TOOLS / ".bin")
    return folder


def test_a_client_in_python_type_checks(python_client: Path) -> None:
    """Mypy finds nothing, in strict mode, in the package and in a program that uses it."""
    pytest.importorskip("mypy", reason="`scripts/setup check` installs mypy")
    strict = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "barcodesvc_client", "example.py"]
    run(strict, python_client)


def test_a_client_in_python_has_every_call_of_json_and_forms(python_client: Path, documented: Service) -> None:
    """The generator leaves out what it does not understand, with nothing but a warning."""
    calls = [call for path in documented.call("GET", "/api/openapi.json")["paths"].values() for call in path.values()]
    wanted = {re.sub(r"(?<!^)(?=[A-Z])", "_", call["operationId"]).lower() for call in calls if _is_usual(call)}
    assert wanted <= {path.stem for path in python_client.glob("barcodesvc_client/api/*/*.py")}


def _is_usual(call: dict[str, Any]) -> bool:
    """Return whether a call sends nothing, JSON or a form, and answers in JSON."""
    sent = set(call.get("requestBody", {}).get("content", ()))
    answers = [call["responses"].get(status, {}).get("content", {}) for status in ("200", "201")]
    return sent <= {"application/json", "multipart/form-data"} and any("application/json" in each for each in answers)


def test_the_example_in_python_runs(python_client: Path) -> None:
    """A catalogue without products has no product for the scan, but a proposal for one."""
    output = run([sys.executable, "example.py"], python_client)
    assert output.startswith("no product matches the scanned code ProposedProduct(product_code='4006381333931'")


def test_the_example_in_typescript_runs(typescript_client: Path) -> None:
    """A catalogue without products has no product for the scan."""
    assert run(["node", "built/example.js"], typescript_client) == "no_product_matches\n"


@dataclass(frozen=True)
class Call:
    """A call of the tour; `body` is its JSON."""

    method: str
    path: str
    query: dict[str, str]
    body: Any

    def is_made_by(self, request: dict[str, Any]) -> bool:
        """Return whether a request has all that the page shows; a client may send defaults in addition."""
        return (
            (request["method"], unquote(request["path"])) == (self.method, self.path)
            and _includes(request["query"], self.query)
            and _includes(request["body"], self.body)
        )


def _call(step: Step) -> Call:
    words = shlex.split(step.command)[1:]
    options = dict(pairwise(words))
    url = urlsplit(next(word for word in words if word.startswith("http://")))
    sends = "--json" in options or "-F" in options
    return Call(
        method=options.get("-X", "POST" if sends else "GET"),
        path=unquote(url.path),
        query=dict(parse_qsl(url.query)),
        body=json.loads(options["--json"]) if "--json" in options else None,
    )


def _includes(sent: Any, shown: Any) -> bool:
    if isinstance(shown, dict):
        return all(name in sent and (name in CLOCKS or _includes(sent[name], value)) for name, value in shown.items())
    if isinstance(shown, list):
        return len(sent) == len(shown) and all(map(_includes, sent, shown))
    return bool(sent == shown)


def test_a_client_in_typescript_makes_every_call(typescript_client: Path, tmp_path: Path) -> None:
    """It compiles under `strict`, and each call of the tour, in order, gets the response that it expects."""
    run([sys.executable, "-m", "scripts.demo"], ROOT)  # makes the workbook and the picture that the tour uploads
    with Service(tmp_path, **UNLIMITED) as served:
        output = run(["node", "built/tour.js", served.address, str(ROOT / "demo-output")], typescript_client)
    steps = tour("tests/contract/tour.md", "A tour with curl")
    for line, call in zip(output.splitlines(), map(_call, steps), strict=True):
        assert call.is_made_by(json.loads(line)), (call, line)
