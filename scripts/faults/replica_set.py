"""Replicas of the service on one PostgreSQL database behind a balancer, each of which can be killed and started.

Every outage is recorded with its times, so that errors can be attributed to it.
"""

from __future__ import annotations

import http.client
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.faults.started import environment, port_of, started
from scripts.servers.balancer import LOOPBACK, free_ports, running_balancer
from scripts.servers.postgres import PostgresServer, running_postgres
from scripts.servers.valkey import ValkeyServer, running_valkey

_LASTING = {"synchronous_commit": "on"}
"""A commit must survive a crash."""
_START_TRIES = 30
_TRY_PAUSE = 1.0
"""Seconds after which a replica that failed to start is started again, as systemd does it."""


@dataclass(slots=True)
class Down:
    """An outage: its begin and end, as times of time.monotonic."""

    what: str
    begun: float
    back: float = float("inf")

    def touches(self, begun: float, ended: float, after: float) -> bool:
        """Return whether it was down, or back for less than `after` seconds, at any time between these."""
        return ended >= self.begun and begun <= self.back + after


class Replica:
    """One replica on its own port."""

    def __init__(self, port: int, folder: Path, variables: dict[str, str]) -> None:
        self.port = port
        self._errors = folder / f"replica-{port}.errors"
        self._variables = variables | {"BARCODESVC_PORT": str(port)}
        self._running = ExitStack()
        self._process: subprocess.Popen[str] | None = None

    @property
    def process(self) -> subprocess.Popen[str]:
        """Its current process."""
        if self._process is None:
            raise SystemExit("the replica was never started")
        return self._process

    def start(self) -> None:
        """Start it, trying again while it fails; raises SystemExit with its errors in the end."""
        for _ in range(_START_TRIES):
            self._process = self._running.enter_context(started("barcodesvc", self._variables, self._errors))
            try:
                port_of(self._process, self._errors)
            except SystemExit:
                time.sleep(_TRY_PAUSE)
            else:
                return
        raise SystemExit(f"the replica does not start: {self.errors()}")

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        self.process.kill()
        self._running.close()

    def is_well(self) -> bool:
        """Return what its /health says; False without a response."""
        with (
            suppress(OSError, http.client.HTTPException),
            closing(http.client.HTTPConnection(LOOPBACK, self.port, timeout=5)) as connection,
        ):
            connection.request("GET", "/health")
            return connection.getresponse().status == HTTPStatus.OK
        return False

    def errors(self) -> str:
        """Return what all of its processes have written to standard error."""
        return self._errors.read_text()


@dataclass(slots=True)
class ReplicaSet:
    """Running replicas, what they share, and the port of the balancer in front of them."""

    replicas: list[Replica]
    postgres: PostgresServer
    valkey: ValkeyServer
    port: int = 0
    downs: list[Down] = field(default_factory=list)

    @contextmanager
    def away(self, what: str) -> Iterator[None]:
        """Record an outage of something inside the block."""
        down = Down(what, time.monotonic())
        self.downs.append(down)
        try:
            yield
        finally:
            down.back = time.monotonic()


@contextmanager
def replica_set(number: int, **settings: object) -> Iterator[ReplicaSet]:
    """Start everything in one temporary folder, each replica with these settings; stop it at the end."""
    with TemporaryDirectory(prefix="replicas-") as name, ExitStack() as running:
        folder = Path(name)
        postgres = running.enter_context(running_postgres(settings=_LASTING))
        valkey = running.enter_context(running_valkey())
        shared = {"trusted_proxies": LOOPBACK, "rate_limit_store": valkey.address}
        variables = environment(postgres.address(), **shared, **settings)
        replicas = [Replica(port, folder, variables) for port in free_ports(number)]
        for replica in replicas:
            replica.start()
            running.callback(replica.kill)
        ports = [replica.port for replica in replicas]
        balancer = running.enter_context(running_balancer(folder, ports))
        yield ReplicaSet(replicas, postgres, valkey, balancer)
