"""Resolves setup.cfg, extra by extra, and writes down versions and hashes; run by scripts/lock.

uv resolves for every platform and every Python from 3.11 on at once, and gets the hashes of all files of a release from
the index. Rule: a release that is pinned in constraints.txt stays. The file of an extra holds only what the base lacks,
because both are always installed together.
"""

import configparser
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "scripts" / "constraints.txt"
LOCKED = ROOT / "scripts" / "locked"
BASE = "base"
BUILD = "build"
HEAD = "# Made by scripts/lock; scripts/setup installs from it and refuses every file that has another hash.\n"
_ENTRY = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+).*(?:\n .*)*", re.MULTILINE)
_COMMAND = ("-m", "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes")
_STYLE = ("--no-header", "--no-annotate", "--constraints", str(CONSTRAINTS))


def normalised(name: str) -> str:
    """Return the name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> dict[str, str]:
    """Return the version of each package that a file of requirements pins."""
    return {normalised(entry["name"]): entry["version"] for entry in _ENTRY.finditer(text)}


def resolved(*what: str, given: str = "") -> dict[str, str]:
    """Return the requirement of each package, with its hashes, that the given file or requirements resolve to."""
    command = [sys.executable, *_COMMAND, *_STYLE, *what]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, input=given, text=True)  # noqa: S603 - fixed text and names of extras
    return {normalised(entry["name"]): entry[0] for entry in _ENTRY.finditer(done.stdout)}


def locked() -> dict[str, dict[str, str]]:
    """Return the requirements of the base, of the build and, beyond those of the base, of each extra."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    base = resolved("setup.cfg")
    found = {BASE: base, BUILD: resolved("-", given="\n".join(build["build-system"]["requires"]))}
    for extra in setup["options.extras_require"]:
        both = resolved("--extra", extra, "setup.cfg")
        found[extra] = {name: entry for name, entry in both.items() if name not in base}
    return found


def constraints(entries: Iterable[Mapping[str, str]]) -> str:
    """Return the text of constraints.txt with exactly the locked packages, each as it is already written there."""
    head, *lines = CONSTRAINTS.read_text("utf-8").splitlines()
    written = {normalised(line.partition("==")[0]): line for line in lines}
    pinned = {name: version for found in entries for name, version in pins("\n".join(found.values())).items()}
    return "\n".join([head, *(written.get(name, f"{name}=={pinned[name]}") for name in sorted(pinned))]) + "\n"


def main() -> None:
    """Write the files."""
    found = locked()
    LOCKED.mkdir(exist_ok=True)
    for name, entries in found.items():
        (LOCKED / f"{name}.txt").write_text(HEAD + "".join(f"{entry}\n" for entry in entries.values()), "utf-8")
    CONSTRAINTS.write_text(constraints(found.values()), "utf-8")


if __name__ == "__main__":
    main()
