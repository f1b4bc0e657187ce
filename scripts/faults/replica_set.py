"""Replicas of the service on one PostgreSQL database behind a balancer, each of which can be killed and started.

Every outage is recorded with its times, so that errors can be attributed to it.
"""

import http.client
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.served import MODULE, UNLIMITED, Service, StartError
from tests.servers.balancer import LOOPBACK, running_balancer
from tests.servers.postgres import PostgresServer, running_postgres
from tests.servers.valkey import ValkeyServer, running_valkey

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


@dataclass(slots=True)
class ReplicaSet:
    """Running replicas, what they share, and the port of the balancer in front of them."""

    replicas: list[Service]
    postgres: PostgresServer
    valkey: ValkeyServer
    port: int
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
        postgres = running.enter_context(running_postgres(settings=_LASTING))
        valkey = running.enter_context(running_valkey())
        shared = {"trusted_proxies": LOOPBACK, "rate_limit_store": valkey.address}
        given = UNLIMITED | {"database": postgres.address()} | shared | settings
        replicas = []
        for each in range(number):
            folder = Path(name) / f"replica-{each}"
            folder.mkdir()
            replicas.append(running.enter_context(Service(folder, *MODULE, **given)))
        ports = [replica.port for replica in replicas]
        balancer = running.enter_context(running_balancer(Path(name), ports))
        yield ReplicaSet(replicas, postgres, valkey, balancer)


def start_again(replica: Service) -> None:
    """Start a replica that was killed, trying again while it fails; raises StartError in the end."""
    for _ in range(_START_TRIES - 1):
        with suppress(StartError):
            replica.start()
            return
        time.sleep(_TRY_PAUSE)
    replica.start()


def is_well(replica: Service) -> bool:
    """Return what /health of a replica says; False without a response."""
    with suppress(OSError, http.client.HTTPException):
        return replica.exchange("GET", "/health")[0] == HTTPStatus.OK
    return False
