"""scripts/setup: whatever happened to the environment before, it is complete afterwards."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full_run

SETUP = Path(__file__).parents[1] / "scripts" / "setup"
PYTHON = f"""#!/bin/sh
case "$1 $2" in
    "-m venv")
        [ ! -e no-venv ] || exit 1
        echo venv >>log
        rm -rf .venv
        mkdir -p .venv/bin
        sleep 0.2
        cp pip python .venv/bin ;;
    "-m compileall" | "scripts/page_packages.py ") ;;
    *win32*) [ ! -e windows ] ;;
    *flock*) [ -e no-locks ] && exec {sys.executable} -c "import fcntl; fcntl.flock = lambda *_: open('/nowhere'); $2"
        exec {sys.executable} "$@" ;;
    *) exec {sys.executable} "$@" ;;
esac
"""
PIP = """#!/bin/sh
echo pip >>log
sleep 0.2
[ ! -e broken ]
"""
ANEW = ["venv", "pip", "pip"]
"""The commands that build an environment: the packages, then the project."""
FIRST = "setting up .venv; the first time, this takes a minute, or several on a slow machine\n"
REFRESHED = ["pip", "pip"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a fresh clone in which Python makes fake environments, and record its commands."""
    folder = tmp_path / "clone"
    (folder / "scripts" / "locked").mkdir(parents=True)
    shutil.copy(SETUP, folder / "scripts" / "setup")
    for name in ("setup.cfg", "scripts/locked/base.txt", "scripts/locked/test.txt", "log"):
        (folder / name).touch()
    for name, script in (("python", PYTHON), ("pip", PIP)):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    return folder


def begin(clone: Path, *extras: str) -> subprocess.Popen[str]:
    """Start a setup."""
    environment = {**os.environ, "PYTHON": str(clone / "python")}
    return subprocess.Popen(  # noqa: S603 - the script under test
        [clone / "scripts" / "setup", *extras], env=environment, stderr=subprocess.PIPE, text=True
    )


def done(clone: Path, *extras: str) -> tuple[int, list[str]]:
    """Run a setup, and return its status and the commands that it ran."""
    (clone / "log").write_text("")
    setting_up = begin(clone, *extras)
    setting_up.communicate()
    return setting_up.returncode, ran(clone)


def ran(clone: Path) -> list[str]:
    """Return the commands since the last setup."""
    return (clone / "log").read_text().splitlines()


def test_a_setup_that_takes_long_says_so_first(clone: Path) -> None:
    """The first setup and an update announce themselves; one without work does nothing, and is silent."""
    said = [begin(clone).communicate()[1] for _ in range(2)]
    assert ran(clone) == ANEW
    (clone / "setup.cfg").write_text("changed")
    said.append(begin(clone).communicate()[1])
    assert said == [FIRST, "", "updating the packages in .venv\n"]


def test_two_at_once_make_one_environment(clone: Path) -> None:
    """One of them waits, says so, and finds everything done."""
    both = [begin(clone), begin(clone)]
    messages = {line for setting_up in both for line in setting_up.communicate()[1].splitlines(keepends=True)}
    assert [setting_up.returncode for setting_up in both] == [0, 0]
    assert ran(clone) == ANEW
    assert messages == {FIRST, "another setup is under way here; waiting for it to finish\n"}


def test_one_that_was_killed_keeps_no_one_waiting(clone: Path) -> None:
    """Its lock ends with it, and the next setup rebuilds the environment."""
    killed = begin(clone)
    while "pip" not in ran(clone):
        assert killed.poll() is None
    killed.kill()
    killed.communicate()
    assert done(clone) == (0, ANEW)


def test_an_environment_that_was_never_finished_is_made_anew(clone: Path) -> None:
    """Packages that its first setup failed to install leave nothing that the next one trusts."""
    (clone / "broken").touch()
    assert done(clone) == (1, ["venv", "pip"])
    (clone / "broken").unlink()
    assert done(clone) == (0, ANEW)


def test_an_extra_that_fails_costs_nothing(clone: Path) -> None:
    """Required packages continue to work without a download; the extra is tried again."""
    assert done(clone) == (0, ANEW)
    (clone / "broken").touch()
    assert done(clone, "test") == (1, ["pip"])
    assert done(clone) == (0, [])
    (clone / "broken").unlink()
    assert done(clone, "test") == (0, REFRESHED)


def test_a_refresh_that_fails_clears_nothing(clone: Path) -> None:
    """The next setup retries it on the existing environment, even if the requirements' files have older times since."""
    assert done(clone) == (0, ANEW)
    os.utime(clone / "setup.cfg", (2**32, 2**32))
    (clone / "broken").touch()
    for _ in range(2):
        assert done(clone) == (1, ["pip"])
    os.utime(clone / "setup.cfg", (0, 0))
    (clone / "broken").unlink()
    assert done(clone) == (0, REFRESHED)
    assert done(clone) == (0, [])


def test_what_is_newer_than_the_environment_refreshes_it(clone: Path) -> None:
    """Changed requirements, and a newly requested extra, are installed into the existing environment."""
    assert done(clone) == (0, ANEW)
    os.utime(clone / ".venv" / "current-base", (0, 0))
    assert done(clone) == (0, REFRESHED)
    assert done(clone, "test") == (0, REFRESHED)
    os.utime(clone / ".venv" / "current-base", (0, 0))
    assert done(clone) == (0, REFRESHED)
    assert done(clone, "test") == (0, [])


def test_a_clone_that_was_moved_gets_a_new_environment(clone: Path) -> None:
    """Its scripts and the project contain the former path; a link to the same folder makes no difference."""
    assert done(clone) == (0, ANEW)
    link = clone.with_name("link")
    link.symlink_to(clone, target_is_directory=True)
    assert done(link) == (0, [])
    moved = clone.rename(clone.with_name("moved"))
    assert done(moved) == (0, ANEW)
    assert done(moved) == (0, [])


@pytest.mark.parametrize(
    ("lack", "said", "status", "commands"),
    [
        ("no-locks", "no lock (", 0, ANEW),
        ("no-venv", "sudo apt install python3-venv", 1, []),
        ("windows", "container or in WSL", 1, []),
    ],
)
def test_what_the_system_lacks_is_said(clone: Path, lack: str, said: str, status: int, commands: list[str]) -> None:
    """Without locks it goes on; without Debian's package of venv, or on Windows, it says what to do."""
    (clone / lack).touch()
    setting_up = begin(clone)
    assert said in setting_up.communicate()[1]
    assert (setting_up.returncode, ran(clone)) == (status, commands)
