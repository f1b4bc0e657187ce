"""The steps of docs/examples/Containerfile in a chroot, for machines without podman and for CI.

The root is a copy-on-write view of this machine (overlayfs); no change in it lasts. Packages may be there already, so
only an image that podman makes shows that none is missing.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scripts.benchmarks.report import Figure, at_least
from scripts.faults.first_use import Visitor, first_use

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "Containerfile"
_KEY = "correct-horse-battery-staple"
_MOUNTS = ("proc", "sys", "dev")
_PATH = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
"""As in the images of Debian."""


@dataclass(frozen=True)
class Step:
    """One instruction of a Containerfile and what follows it."""

    instruction: str
    words: str


@dataclass
class _State:
    """What the instructions so far have set."""

    folder: str = "/"
    variables: dict[str, str] = field(default_factory=dict)
    user: str = "0:0"
    command: list[str] = field(default_factory=list)


def read(text: str) -> list[Step]:
    """Return the instructions of a Containerfile, in order."""
    lines = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [Step(*line.strip().split(maxsplit=1)) for line in lines if line.strip()]


def steps(reason: str) -> Iterator[Figure]:
    """Carry the instructions out in a chroot and serve from it; the reason says why there is no container."""
    if os.geteuid() != 0:
        yield Figure(f"not possible here: {reason}, and a chroot needs root", 0, "")
        return
    with _view() as root:
        if root is None:
            yield Figure(f"not possible here: {reason}, and overlayfs cannot be mounted", 0, "")
            return
        state = _State()
        done = read(EXAMPLE.read_text("utf-8"))
        for step in done:
            _carry_out(step, root, state)
        yield Figure(f"instructions carried out in a chroot ({reason})", len(done), "", at_least(10))
        yield from _served(root, state)


@contextmanager
def _view() -> Iterator[Path | None]:
    """Yield a copy-on-write view of this machine's files, None if that is not allowed."""
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        folder = Path(name)
        root, upper, work = folder / "root", folder / "changes" / "upper", folder / "changes" / "work"
        root.mkdir()
        upper.parent.mkdir()
        if not _mount("-t", "tmpfs", "tmpfs", upper.parent):
            yield None
            return
        upper.mkdir()
        work.mkdir()
        options = f"lowerdir=/,upperdir={upper},workdir={work}"
        is_mounted = _mount("-t", "overlay", "overlay", "-o", options, root)
        try:
            for mount in _MOUNTS * is_mounted:
                _mount("--rbind", "--make-rslave", f"/{mount}", root / mount)
            yield root if is_mounted else None
        finally:
            if is_mounted:
                subprocess.run(["umount", "--recursive", "--lazy", root], check=True)  # noqa: S603, S607 - as above
            subprocess.run(["umount", "--lazy", upper.parent], check=True)  # noqa: S603, S607 - as above


def _mount(*words: str | Path) -> bool:
    return subprocess.run(["mount", *map(str, words)], capture_output=True, check=False).returncode == 0  # noqa: S603, S607 - mount


def _carry_out(step: Step, root: Path, state: _State) -> None:
    match step.instruction:
        case "RUN":
            _run(root, state, step.words)
        case "COPY":
            _copy(root, state, shlex.split(step.words))
        case "WORKDIR":
            state.folder = step.words
            (root / step.words[1:]).mkdir(parents=True, exist_ok=True)
        case "ENV":
            state.variables |= dict(word.split("=", 1) for word in shlex.split(step.words))
        case "USER":
            state.user = step.words
        case "CMD":
            state.command = json.loads(step.words)
        case "FROM":
            state.folder = "/"  # every stage has the same root here
        case "ARG" | "EXPOSE" | "VOLUME" | "HEALTHCHECK":
            pass
        case unknown:
            raise SystemExit(f"{EXAMPLE}: {unknown} is not understood here")


def _run(root: Path, state: _State, script: str) -> None:
    command = ["chroot", str(root), "sh", "-ec", f"cd {state.folder}\n{script}"]
    variables = os.environ | _PATH | state.variables
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)  # noqa: S603 - the example
    if done.returncode != 0:
        raise SystemExit(f"{script}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def _copy(root: Path, state: _State, words: list[str]) -> None:
    """Copy from this checkout; what another stage has made is there already."""
    if words[0].startswith("--from="):
        return
    *sources, target = words
    folder = root / state.folder[1:]
    for source in sources:
        place = folder / target / source if target == "./" else folder / target
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, place)


def _served(root: Path, state: _State) -> Iterator[Figure]:
    """Serve as the Containerfile's user, with its volume, on a read-only root, in a separate network."""
    user = state.user.partition(":")[0]
    script = f"""
        ip link set lo up
        mount -o remount,bind,ro {root}
        mount -t tmpfs -o mode=1777 tmpfs {root}/tmp
        mount -t tmpfs -o mode=700,uid={user} tmpfs {root}/data
        exec chroot --userspec={state.user} {root} {shlex.join(state.command)}"""  # noqa: S108 - folders of the chroot
    variables = state.variables | {"BARCODESVC_API_KEY": _KEY}
    # the chroot's PATH is for this script as well
    variables["PATH"] += ":/usr/sbin:/sbin"
    command = ["unshare", "--net", "--mount", "sh", "-ec", script]
    with subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL) as process:  # noqa: S603 - the example
        try:
            prefix = ("nsenter", f"--net=/proc/{process.pid}/ns/net")
            yield from first_use(Visitor("http://127.0.0.1:8080", _KEY, prefix))
            status = Path(f"/proc/{process.pid}/status").read_text()
            yield Figure("user of the service", int(re.findall(r"Uid:\t(\d+)", status)[0]), "", at_least(1))
        finally:
            process.terminate()
