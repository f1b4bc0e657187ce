"""The commands of README and docs/: each runs in a copy of the repository, on a new database, with today's date.

A block of `sh` is run as it is, except for what a reader replaces too: ports, and the placeholder of a key. A tour is
run by curl against a started service. NOT_RUN names the blocks that cannot run here.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.examples.proxies import certificate
from tests.pages import PAGES, ROOT, Step, tour
from tests.served import WAIT
from tests.servers.balancer import LOOPBACK, free_ports
from tests.test_pages import TOURS

NOT_RUN = {
    ("docs/backups.md", "In a container"): "needs Docker",
    ("docs/backups.md", "Moving between SQLite and PostgreSQL"): "needs a PostgreSQL server; see tests/store/copying",
    ("docs/backups.md", "On a server"): "needs root and systemd; see scripts/chaos install",
    ("docs/clients.md", ""): "needs a service that runs; see tests/contract",
    ("docs/deploy.md", "A certificate for a public name"): "needs a public name",
    ("docs/deploy.md", "A proxy in front"): "needs root; see tests/examples",
    ("docs/deploy.md", "After the installation"): "needs root and systemd; see scripts/chaos install",
    ("docs/deploy.md", "Firewall"): "needs root",
    ("docs/deploy.md", "Install the program"): "needs root; see scripts/chaos install",
    ("docs/deploy.md", "Run it as a container"): "needs Docker; see tests/examples",
    ("docs/deploy.md", "Start it with the machine"): "needs root and systemd; see tests/examples",
    ("docs/deploy.md", "Your own certificate authority"): "needs mkcert",
    ("docs/development.md", "Commands"): "takes hours together; .ci/run has them",
    ("docs/limits-and-load.md", ""): "needs servers; see tests/replicas",
    ("docs/performance.md", "Measure it yourself"): "takes an hour",
    ("docs/printers.md", ""): "needs printers and a display; see tests/printers and tests/page/test_kiosk.py",
}
"""Pages and headings of blocks that are not run, and why; an empty heading is the whole page."""
NEEDS_DATABASE = {"docs/backups.md"}
"""Pages that begin with a database which has been served."""
REPLACED = {
    "0.0.0.0": LOOPBACK,  # noqa: S104 - tests listen on no other address
    "the-key-you-wrote-down": "0123456789abcdef0123456789abcdef",
}
PORTS = re.compile(r"\b80(80|81|99)\b|\b8443\b")
STARTED = "======== Running on "
SOURCES = ("barcodesvc", "scripts", "sql", "tests")
FILES = ("setup.cfg", "pyproject.toml")


@dataclass(frozen=True)
class Block:
    """A block of code with its page, heading and language."""

    page: str
    heading: str
    language: str
    text: str

    @property
    def is_run(self) -> bool:
        """Whether it is run here: NOT_RUN may leave it out, and `scripts/chaos install` runs those of Podman."""
        is_left_out = {(self.page, self.heading), (self.page, "")} & set(NOT_RUN)
        return not is_left_out and not self.text.startswith("podman ")


def blocks() -> Iterator[Block]:
    """Yield every block of shell commands of README and docs/."""
    for page in PAGES:
        name, heading = page.relative_to(ROOT).as_posix(), ""
        for found in re.finditer(
            r"^#+ ([^\n]+)$|^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
        ):
            heading = found[1] or heading
            if found[2] in ("sh", "console"):
                yield Block(name, heading, found[2], found[3])


BLOCKS = list(blocks())
RUN_PAGES = sorted({block.page for block in BLOCKS if block.language == "sh" and block.is_run})


def full_run_unless_readme(rows: Iterable[tuple[str, ...]]) -> list[Any]:
    """Return the rows of a parametrisation by pages: those of any page but the README are left to the full run."""
    return [pytest.param(*row, marks=() if row[0] == "README.md" else pytest.mark.full_run) for row in rows]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a copy of the repository that has been set up, with this environment's packages."""
    folder = tmp_path / "repository"
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    environment = folder / ".venv"
    environment.mkdir()
    shutil.copy(Path(sys.prefix, "pyvenv.cfg"), environment)
    for name in ("bin", "lib"):
        (environment / name).symlink_to(Path(sys.prefix, name))
    (environment / "installed-base").write_text(f"{folder.resolve()}\n")
    for extra in ("base", "test"):
        (environment / f"current-{extra}").touch()
    return folder


def environment(folder: Path, port: int) -> dict[str, str]:
    """Return the variables of a shell in the copy: the command is on the path, and no setting but the port is set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BARCODESVC_")}
    path = f"{folder}/.venv/bin:{os.environ['PATH']}"
    return {**kept, "PATH": path, "BARCODESVC_PORT": str(port)}


@contextmanager
def running(line: str, folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a line of shell, and yield it with its output: up to its end, or until it says that it serves."""
    with subprocess.Popen(  # noqa: S603 - a command of a page
        ["/bin/sh", "-euc", line],
        cwd=folder,
        env=environment(folder, port),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout
        output = ""
        while STARTED not in output and (read := process.stdout.readline()):
            output += read
        try:
            yield process, output
        finally:
            if STARTED in output:
                os.killpg(process.pid, signal.SIGINT)


def require_programs(line: str) -> None:
    """Skip if this machine lacks a program of a line that not every system has."""
    for name in ("curl", "openssl"):
        if re.search(rf"\b{name} ", line) and shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")


def run(line: str, folder: Path) -> None:
    """Run a line, which must end with 0 or serve; a service is stopped then, and its shell with it."""
    [port] = free_ports(1)
    require_programs(line)
    for old, new in REPLACED.items():
        line = line.replace(old, new)
    with running(PORTS.sub(str(port), line), folder, port) as (process, output):
        pass
    assert STARTED in output or process.returncode == 0, f"{line}\n{output}"


def lines(text: str) -> list[str]:
    """Return the commands of a block, each on one line."""
    return [line for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]


@pytest.mark.parametrize("page", full_run_unless_readme(zip(RUN_PAGES)))
def test_commands_succeed(page: str, copied: Path, migrated_file: Path) -> None:
    """Each command of a page exits with 0, or serves; they run one after the other in one folder."""
    if page in NEEDS_DATABASE:
        shutil.copy(migrated_file, copied / "barcodesvc.db")
    certificate(copied)
    for block in BLOCKS:
        if block.page == page and block.language == "sh" and block.is_run:
            for line in lines(block.text):
                run(line, copied)


def test_every_block_that_is_not_run_exists() -> None:
    """A block that is removed, or that can run, is removed from the list too."""
    named = {(block.page, heading) for block in BLOCKS for heading in (block.heading, "")}
    assert set(NOT_RUN) - named == set()


def test_every_console_block_is_in_a_tour() -> None:
    """A block with commands and responses is checked by the test below."""
    in_tours = [step.command for page, title in TOURS if ROOT / page in PAGES for step in tour(page, title)]
    written = [
        line.replace("\\\n", " ")
        for block in BLOCKS
        if block.language == "console"
        for line in re.findall(r"^\$ (.*?[^\\])$", block.text, re.MULTILINE | re.DOTALL)
    ]
    assert sorted(in_tours) == sorted(written)


def pattern(step: Step) -> str:
    """Return a regular expression of the response: … matches anything, and a time of day matches any other."""
    text = re.sub(r"\s*\n\s*", "", step.response)
    escaped = ".*".join(re.escape(part.strip()) for part in text.split("…"))
    return re.sub(
        r"\d{4}\\-\d\d\\-\d\dT\d\d:\d\d:\d\d\\\.\d{3}Z", r"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z", escaped
    )


@pytest.mark.parametrize(("page", "title"), full_run_unless_readme(TOURS))
def test_tour_answers_as_shown(copied: Path, page: str, title: str) -> None:
    """Every command of a tour, in order, prints what is shown below it, within the default limits."""
    require_programs("curl ")
    run("scripts/demo", copied)
    [port] = free_ports(1)
    with running("scripts/serve", copied, port) as (_, started):
        assert STARTED in started
        for step in tour(page, title):
            command = step.command.replace("127.0.0.1:8080", f"127.0.0.1:{port}")
            shell = ["/bin/sh", "-c", command]
            got = subprocess.run(shell, cwd=copied, capture_output=True, check=True, timeout=WAIT)  # noqa: S603 - as above
            said = re.sub(r"\s*\r?\n\s*", "", got.stdout.decode("utf-8-sig").strip())
            assert re.fullmatch(pattern(step), said, re.DOTALL), f"{step.command}\n{said}"
