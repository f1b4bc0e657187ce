"""HAProxy with docs/examples/haproxy.cfg, with other ports and names, and with the given replicas."""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "haproxy.cfg"
LOOPBACK = "127.0.0.1"
_BIND = re.compile(r"^    bind :8080$", re.MULTILINE)
_NAME = re.compile(r"shop\.example\.com(?= })")
_SERVERS = re.compile(r"^    server replica1 127\.0\.0\.1:8081\n    server replica2 127\.0\.0\.1:8082\n", re.MULTILINE)
_TRIES = 1000


def program() -> str | None:
    """Return the path of HAProxy, None if it is not installed."""
    return shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:/usr/bin")


def configuration(port: int, replicas: Sequence[int], name: str) -> str:
    """Return the example with these ports, and this host name instead of its own."""
    servers = "".join(f"    server replica{number} {LOOPBACK}:{each}\n" for number, each in enumerate(replicas, 1))
    text, bound = _BIND.subn(f"    bind {LOOPBACK}:{port}", EXAMPLE.read_text())
    text, served = _SERVERS.subn(servers, text)
    text, named = _NAME.subn(name, text)
    if (bound, served, named) != (1, 1, 1):
        raise SystemExit(f"{EXAMPLE} has other ports or names than those that are known here")
    return text


@contextmanager
def running_balancer(folder: Path, replicas: Sequence[int], name: str = LOOPBACK) -> Iterator[int]:
    """Start it in front of the replicas on these ports, and yield its port; its log and files are in the folder.

    It answers requests to this host name.
    """
    command = program()
    if command is None:
        raise SystemExit("HAProxy is not installed")
    [port] = free_ports(1)
    path = folder / "haproxy.cfg"
    path.write_text(configuration(port, replicas, name))
    with listening([command, "-db", "-f", path], port, folder / "haproxy.log"):
        yield port


@contextmanager
def listening(command: list[str | Path], port: int, log: Path) -> Iterator[None]:
    """Run a proxy in front of services, with its home and its log in one folder, once it listens on the port."""
    home = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(log.parent))
    with (
        log.open("w") as output,
        subprocess.Popen(command, stdout=output, stderr=output, env=os.environ | home) as process,  # noqa: S603 - a proxy
    ):
        try:
            _wait_for(port, process)
            yield
        finally:
            process.kill()


def free_ports(number: int) -> list[int]:
    """Return ports on which nothing listens now."""
    sockets = [socket.create_server((LOOPBACK, 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(_TRIES):
        with suppress(OSError), socket.create_connection((LOOPBACK, port)):
            return
        if process.poll() is not None:
            break
        sleep(0.02)
    raise SystemExit(f"{process.args!r} does not listen; its log says why")
