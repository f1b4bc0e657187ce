"""The page's logic that needs no document, tested by Node's own test runner: a file of tests for each module."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pydantic_core import to_json

from barcodesvc.api.resources.page_files import PAGE_FOLDER, load_page
from barcodesvc.api.resources.page_limits import PAGE_LIMITS
from barcodesvc.errors import Reason

HERE = Path(__file__).parent
MODULES_BY_SYNTAX = "process.exit(process.features.require_module ? 0 : 1)"
"""Succeeds in a Node that recognises a module by its syntax: 20.19, 22.13 and later."""
PARSE = """
const { SourceTextModule } = require('node:vm')
const scripts = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
for (const [name, code] of Object.entries(scripts)) new SourceTextModule(code, { identifier: name })
"""
REFUSAL = re.compile(r"'refused\.(\w+)[\w.]*':\s+'(.+)',")
LONGEST = 60.0
"""Seconds after which a file fails in which a test waits forever."""


@pytest.fixture(scope="module")
def node() -> str:
    """Return the program, or skip if none is new enough."""
    program = shutil.which("node")
    if program is None or subprocess.run([program, "-e", MODULES_BY_SYNTAX], check=False).returncode:  # noqa: S603 - fixed text
        pytest.skip("Node 20.19 or newer is not installed")
    return program


def test_every_reason_has_its_own_text() -> None:
    """The reasons are a closed list, and in no language is a text that of another reason."""
    for language in (PAGE_FOLDER / "languages").iterdir():
        files = (language, PAGE_FOLDER / "further-texts" / language.name)
        found = [pair for file in files for pair in REFUSAL.findall(file.read_text("utf-8"))]
        assert (language.name, {reason for reason, _ in found}) == (language.name, set(Reason))
        assert len({text for _, text in found}) == len(found)


def test_the_limits_of_these_tests_are_those_of_the_service() -> None:
    """`pretended_document.js` has them in a file."""
    assert json.loads((HERE / "limits.json").read_text("utf-8")) == json.loads(to_json(dict(PAGE_LIMITS)))


@pytest.mark.parametrize("tests", sorted(HERE.glob("*.test.js")), ids=lambda path: path.name)
def test_the_logic_of_the_page(node: str, tests: Path) -> None:
    """Every test of the file passes."""
    command = [node, str(tests)]  # with --test another process would only pass the output on
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)  # noqa: S603 - above
    assert ran.returncode == 0, ran.stdout


def test_the_scripts_parse_as_they_are_served(node: str) -> None:
    """Without comments each is still a module: of none is a line missing that it needs."""
    page = load_page(PAGE_FOLDER)
    files = {**page.fixed, **page.assets}
    scripts = {name: file.plain().decode() for name, file in files.items() if name.endswith(".js")}
    assert any("/script/main.js" in name for name in scripts), page.problem
    command = [node, "--experimental-vm-modules", "-e", PARSE]
    ran = subprocess.run(command, input=json.dumps(scripts), capture_output=True, text=True, check=False)  # noqa: S603 - above
    assert ran.returncode == 0, ran.stderr
