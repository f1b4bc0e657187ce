"""The starts of the README and of docs/deploy.md, followed to the letter on a new machine.

The machine is a container with a Debian that mmdebstrap makes: its smallest set of packages, sudo, and what the README
names. It has no systemd, so a stand-in for systemctl runs the commands of the unit under another account.
"""

import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.faults.first_use import CODE, INSTALL_WAIT, first_use
from scripts.faults.podman import ROOT, Podman, clone, obstacle, podman
from tests.servers.balancer import free_ports

_SUITE, _IMAGE, _MACHINE = "bookworm", "localhost/machine", "machine"
"""The oldest Debian with Python 3.11."""
_BASE_SUITE, _BASE = "trixie", "docker.io/library/debian:13-slim"
"""That of the Containerfile."""
_DEPLOY = "docs/deploy.md"
_NAMED = ("python3", "git", "sudo", "ca-certificates")
"""What the README says is needed, and sudo, which every installed Debian has."""
_PAGE = "http://127.0.0.1:8080"
_FIRST_PROCESS = "while sleep 1; do :; done"
"""A shell, because the first process has to wait for orphans."""
_NEW_MACHINE = """\
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/90yes
git config --system --add safe.directory '*'
useradd --create-home --shell /bin/bash shop
echo 'shop ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/shop
sudo -u shop git clone --quiet /source.git /home/shop/barcodesvc
"""
_SYSTEMCTL = r"""#!/bin/sh
# What systemd does with the unit of one process, without its sandbox.
unit=/etc/systemd/system/barcodesvc.service
value() { sed -n "s/^$1=//p" $unit; }
stop() {
    [ -e /run/barcodesvc.pid ] || return 0
    kill "$(cat /run/barcodesvc.pid)"
    while kill -0 "$(cat /run/barcodesvc.pid)" 2>/dev/null; do sleep 0.1; done
    rm /run/barcodesvc.pid
}
start() {
    state=/var/lib/$(value StateDirectory)
    [ -e "$state" ] || install -d -o 61184 -g 61184 -m "$(value StateDirectoryMode)" "$state"
    [ "$(stat -c %u "$state")" = 61184 ] || chown -R 61184:61184 "$state"
    umask "$(value UMask)"
    as="setpriv --reuid=61184 --regid=61184 --clear-groups --no-new-privs env -i PATH=/usr/bin:/bin"
    as="$as $(value Environment) $(cat "$(value EnvironmentFile)")"
    $as $(value ExecStartPre) >/run/check.log 2>&1 || { cat /run/check.log >&2; exit 1; }
    $as $(value ExecStart) >/run/barcodesvc.log 2>&1 &
    echo $! >/run/barcodesvc.pid
}
case "$*" in
    daemon-reload) ;;
    "enable --now barcodesvc" | "start barcodesvc") start ;;
    "stop barcodesvc") stop ;;
    "restart barcodesvc") stop && start ;;
    *) echo "systemctl $* is unknown here" >&2; exit 1 ;;
esac
"""


def _followed(follow: Callable[[Podman], Iterator[Figure]], *, brief: bool) -> Iterator[Figure]:
    """Follow a start with podman in a temporary folder, where that is possible."""
    del brief  # no step can be left out
    if why := obstacle():
        yield Figure(f"not possible here: {why}", 0, "")
        return
    with podman() as engine:
        yield from follow(engine)


def _linux(engine: Podman) -> Iterator[Figure]:
    """Follow the README's first start."""
    _start_machine(engine)
    refused = _as_user(engine, "scripts/serve 2>&1 || true")
    last = refused.strip().splitlines()[-1]
    yield Figure("without venv the message names the package", "python3-venv" in last, "", at_least(1), last)
    for command in _installing():
        _as_user(engine, command)
    engine.run("exec", "--detach", "--user", "shop", "--workdir", "/home/shop/barcodesvc", _MACHINE, "scripts/serve")
    yield from first_use(engine.visitor(_MACHINE, _PAGE), INSTALL_WAIT)


def _installing() -> list[str]:
    """Return the commands of the README that install packages on Debian."""
    start = _section("README.md", "Start")
    found = re.findall(r"sudo apt install [a-z0-9 -]*python3-venv[a-z0-9 -]*", start)
    if not found or "scripts/serve" not in start:
        raise SystemExit("the README's section Start does not say how to start on Debian")
    return list(found)


def _deploy(engine: Podman) -> Iterator[Figure]:
    """Follow docs/deploy.md, and docs/backups.md between: install, start, back up, restore and upgrade."""
    _start_machine(engine)
    quoted = shlex.quote(_SYSTEMCTL)
    path = "/usr/local/bin/systemctl"
    engine.run("exec", _MACHINE, "sh", "-c", f"printf %s {quoted} >{path} && chmod 755 {path}")
    ran = 0
    for title in ("Install the program", "Start it with the machine"):
        ran += _follow(engine, _DEPLOY, title)
    key = _as_user(engine, "sudo sed -n s/BARCODESVC_API_KEY=//p /etc/barcodesvc/barcodesvc.env").strip()
    visitor = engine.visitor(_MACHINE, _PAGE, key)
    yield from first_use(visitor)
    ran += _follow(engine, "docs/backups.md", "On a server")
    yield _owner(engine, "after a restore")
    yield Figure("it serves the restored database", visitor.waits(), "", at_least(1))
    ran += _follow(engine, _DEPLOY, "After the installation")
    yield _owner(engine, "after an upgrade")
    yield Figure("it serves after the upgrade", visitor.waits(), "", at_least(1))
    yield Figure(f"commands of {_DEPLOY} that succeeded", ran, "", at_least(20))


def _owner(engine: Podman, when: str) -> Figure:
    listed = _as_user(engine, "sudo find /var/lib/barcodesvc/ -not -user 61184")
    return Figure(f"files that are not the service's {when}", len(listed.splitlines()), "", at_most(0), listed)


def _follow(engine: Podman, page: str, title: str) -> int:
    """Run the commands of a section of a page, and return how many there were."""
    blocks = re.findall(r"```sh\n(.*?)```", _section(page, title), re.DOTALL)
    script = "".join(blocks).replace("https://git.example.com/barcodesvc.git", "/source.git")
    day = _as_user(engine, "date +%d").strip()
    script = script.replace("shop-31.db", f"shop-{day}.db")
    _as_user(engine, f"set -e\n{script}")
    return len(script.splitlines())


def _section(page: str, title: str) -> str:
    text = (ROOT / page).read_text("utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def _container(engine: Podman) -> Iterator[Figure]:
    """Follow the README's start as a container."""
    engine.import_debian(_BASE_SUITE, _BASE)
    checkout = engine.folder / "checkout"
    subprocess.run(["git", "clone", "--quiet", clone(engine.folder), checkout], check=True)  # noqa: S603, S607 - git
    [port] = free_ports(1)
    begin = time.perf_counter()
    commands = _readme_commands().replace("8080:8080", f"{port}:8080")
    key = engine.shell(commands, checkout).split()[-1]
    yield Figure("built and started", time.perf_counter() - begin, "s")
    size = engine.run("image", "inspect", "--format", "{{.Size}}", "barcodesvc")
    yield Figure("size of the image, with that of its Debian", int(size) / 1e6, "MB")
    yield from first_use(engine.visitor("barcodesvc", _PAGE, key))
    yield _published(port)
    yield Figure("the health check passes", engine.await_health("barcodesvc"), "", at_least(1))
    yield from _replaced(engine, commands, checkout, key)


def _readme_commands() -> str:
    """Return the commands of the README that build and run the container."""
    text = (ROOT / "README.md").read_text("utf-8")
    found = re.search(r"```sh\n(podman build .*?)```", text, re.DOTALL)
    if found is None:
        raise SystemExit("the README does not show how to build the container")
    return found[1]


def _published(port: int) -> Figure:
    command = ["curl", "--silent", "--fail", "--retry", "3", f"http://127.0.0.1:{port}/health"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # noqa: S603 - curl
    return Figure("answers on the published port", done.returncode == 0, "", at_least(1))


def _replaced(engine: Podman, commands: str, checkout: Path, key: str) -> Iterator[Figure]:
    """Stop the container, run the commands again with its key, and yield whether its product is there."""
    begin = time.perf_counter()
    engine.run("stop", "barcodesvc")
    yield Figure("stopped", time.perf_counter() - begin, "s", at_most(10.0))
    engine.run("rm", "barcodesvc")
    engine.shell(re.sub(r"(?m)^BARCODESVC_API_KEY=.*", f"BARCODESVC_API_KEY={key}", commands), checkout)
    visitor = engine.visitor("barcodesvc", _PAGE, key)
    visitor.waits()
    found = visitor.post("/api/codes/decode", {"code_data": CODE}) or b""
    yield Figure("a new container serves the volume's data", CODE.encode() in found, "", at_least(1))


def _start_machine(engine: Podman) -> None:
    """Let the new machine run in podman."""
    engine.import_debian(_SUITE, _IMAGE, *_NAMED)
    mount = f"{clone(engine.folder)}:/source.git:ro"
    engine.run("run", "--detach", "--name", _MACHINE, "--volume", mount, _IMAGE, "sh", "-c", _FIRST_PROCESS)
    engine.run("exec", _MACHINE, "sh", "-ec", _NEW_MACHINE)


def _as_user(engine: Podman, script: str) -> str:
    """Run a script as the user of the machine, in the copy of the repository, and return its output."""
    place = ("--user", "shop", "--workdir", "/home/shop/barcodesvc")
    return engine.run("exec", *place, "--env", "DEBIAN_FRONTEND=noninteractive", _MACHINE, "sh", "-c", script)


PARTS: Mapping[str, Callable[..., Iterator[Figure]]] = {
    "linux": partial(_followed, _linux),
    "container": partial(_followed, _container),
    "deploy": partial(_followed, _deploy),
}
