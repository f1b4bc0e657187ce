"""HAProxy as docs/examples/haproxy.cfg has it, with other ports and as many replicas as there are."""

from __future__ import annotations

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
_SERVERS = re.compile(r"^    server replica1 127\.0\.0\.1:8081\n    server replica2 127\.0\.0\.1:8082\n", re.MULTILINE)
_TRIES = 200


def program() -> str | None:
    """Return the path of HAProxy, None where it is not installed."""
    return shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:/usr/bin")


def configuration(port: int, replicas: Sequence[int]) -> str:
    """Return the example with these ports in the place of its own."""
    servers = "".join(f"    server replica{number} {LOOPBACK}:{each}\n" for number, each in enumerate(replicas, 1))
    text, bound = _BIND.subn(f"    bind {LOOPBACK}:{port}", EXAMPLE.read_text())
    text, served = _SERVERS.subn(servers, text)
    if (bound, served) != (1, 1):
        raise SystemExit(f"{EXAMPLE} has other ports than those that are known here")
    return text


@contextmanager
def running_balancer(folder: Path, replicas: Sequence[int]) -> Iterator[int]:
    """Start it in front of the replicas on these ports, and yield its own port; its log and files lie in the folder."""
    command = program()
    if command is None:
        raise SystemExit("HAProxy is not installed")
    [port] = free_ports(1)
    path = folder / "haproxy.cfg"
    path.write_text(configuration(port, replicas))
    with (
        (folder / "haproxy.log").open("w") as log,
        subprocess.Popen([command, "-db", "-f", path], stderr=log) as process,  # noqa: S603 - HAProxy
    ):
        try:
            _wait_for(port, process)
            yield port
        finally:
            process.kill()


def free_ports(number: int) -> list[int]:
    """Return ports that nobody listens on now."""
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
    raise SystemExit("HAProxy did not start; its log says why")
