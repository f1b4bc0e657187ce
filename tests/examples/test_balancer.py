"""docs/examples/haproxy.cfg, run by the HAProxy that is installed, with other ports and nothing else changed."""

import http.client
import json
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from barcodesvc.config import Settings
from barcodesvc.store.limits import DatabaseLimits
from tests.forms import KIND, form, part
from tests.process.in_flight import Response, workbook
from tests.served import UNLIMITED, WAIT, Service
from tests.servers.balancer import EXAMPLE, LOOPBACK, free_ports, program, running_balancer
from tests.servers.postgres import programs, running_postgres

pytest.importorskip("asyncpg")
pytestmark = [
    pytest.mark.full_run,
    pytest.mark.skipif(program() is None, reason="needs HAProxy"),
    pytest.mark.skipif(programs() is None, reason="needs a PostgreSQL server"),
]

EVENTS = {"Accept": "text/event-stream"}
OTHER = "127.0.0.2"
"""An address of this machine that nothing trusts."""
_CODES = (f"P-{number}" for number in count())


class Balanced:
    """Replicas, and the port of the balancer before them."""

    def __init__(self, port: int, replicas: Sequence[Service]) -> None:
        self.port = port
        self.replicas = replicas

    def connect(self, source: str = LOOPBACK) -> http.client.HTTPConnection:
        """Return a connection from this address to the balancer."""
        return http.client.HTTPConnection(LOOPBACK, self.port, timeout=WAIT, source_address=(source, 0))

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Response:
        """Send one request to the balancer, and return status and body."""
        with closing(self.connect()) as connection:
            sent = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
            connection.request(method, path, sent, {"Content-Type": "application/json"} | headers)
            response = connection.getresponse()
            return response.status, response.read()

    def product(self) -> str:
        """Create a product and return its code."""
        code = next(_CODES)
        status, _ = self.call("POST", "/api/products", {"product_code": code, "description": "x"})
        assert status == 201
        return code

    def scan(self, code: str, **fields: Any) -> Response:
        """Scan a product, and count one of it unless it is said otherwise."""
        return self.call("POST", "/api/codes/scan", {"code_data": code, "delta": 1, **fields})


Start = Callable[..., Balanced]


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """Return the address of a database that all replicas share."""
    with running_postgres() as server:
        yield server.address()


@pytest.fixture
def start(database: str, tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts replicas with these settings behind a balancer."""
    with contextmanager(_started)(database, tmp_path) as begin:
        yield begin


def _started(database: str, folder: Path) -> Iterator[Start]:
    running: list[Service] = []
    with tempfile.TemporaryDirectory() as name, closing(_Balancers(folder)) as balancers:
        given = UNLIMITED | {"database": database, "trusted_proxies": LOOPBACK, "temporary_folder": name}

        def begin(number: int = 2, **settings: object) -> Balanced:
            replicas = [Service(Path(name), **given | settings) for _ in range(number)]
            running.extend(replicas)
            return Balanced(balancers.before([replica.port for replica in replicas]), replicas)

        yield begin
        for service in running:
            service.kill()


class _Balancers:
    """One balancer, which ends when this is closed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[Any] = []

    def before(self, ports: Sequence[int]) -> int:
        """Start it before these ports, and return its own."""
        balancer = running_balancer(self._folder, ports)
        self._running.append(balancer)
        return balancer.__enter__()

    def close(self) -> None:
        """End it."""
        for balancer in self._running:
            balancer.__exit__(None, None, None)


def test_scans_are_counted_by_either_replica(start: Start) -> None:
    """What one replica has counted the other one finds, whichever answers."""
    balanced = start()
    code = balanced.product()
    for level in range(1, 21):
        status, body = balanced.scan(code)
        assert (status, json.loads(body)["data"]["change"]["new_level"]) == (200, level)
    for replica in balanced.replicas:
        _, metrics = replica.exchange("GET", "/metrics")
        assert b'route="/api/codes/scan"' in metrics


def test_a_replica_that_is_killed_costs_no_one_else_anything(start: Start) -> None:
    """Each request that comes behind its end is answered by the other one, also a change."""
    balanced = start()
    code = balanced.product()
    balanced.replicas[0].kill()
    responses = [balanced.scan(code)[0] for _ in range(20)]
    responses += [balanced.call("GET", "/api/products")[0] for _ in range(20)]
    assert responses == [200] * 40
    assert json.loads(balanced.scan(code)[1])["data"]["change"]["old_level"] == 20


def test_a_replica_that_is_stopped_answers_what_is_in_flight(start: Start) -> None:
    """Those who come meanwhile are answered by the other one."""
    balanced = start()
    body = form(part("file", workbook(3000)))
    with closing(balanced.connect()) as connection:
        connection.putrequest("POST", "/api/products/import?mode=skip")
        for name, value in {"Content-Type": KIND, "Content-Length": str(len(body)), **EVENTS}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        first = response.readline()
        for replica in balanced.replicas[:1]:
            replica.process.send_signal(signal.SIGTERM)
        assert [balanced.call("GET", "/api/products")[0] for _ in range(10)] == [200] * 10
        assert b"event: result" in first + response.read()


def test_the_events_of_an_import_come_as_they_are_sent(start: Start) -> None:
    """Its progress is seen while it goes on, and is not collected on the way."""
    balanced = start(1)
    body = form(part("file", workbook(20_000)))
    begun = time.monotonic()
    with closing(balanced.connect()) as connection:
        connection.request("POST", "/api/products/import?dry_run=true", body, {"Content-Type": KIND, **EVENTS})
        response = connection.getresponse()
        came = [time.monotonic() - begun for line in iter(response.readline, b"") if line.startswith(b"event: ")]
    assert len(came) > 2
    assert came[0] < came[-1] / 1.2


def test_a_replica_knows_the_client_and_believes_no_other_header(start: Start) -> None:
    """The client is the peer of the balancer, whatever its headers say."""
    balanced = start(1, access_log=True)
    forged = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "shop.example"}
    with closing(balanced.connect(OTHER)) as connection:
        connection.request("GET", "/api/products", headers=forged)
        assert connection.getresponse().status == 200
    _, output, _ = balanced.replicas[0].stop()
    asked = [json.loads(line) for line in output.splitlines()]
    assert {line["client"] for line in asked if line["path"] == "/api/products"} == {OTHER}


def test_what_is_too_large_is_refused_by_the_replica(start: Start) -> None:
    """The client gets the message of the service, and not one of the balancer."""
    balanced = start(1, max_upload_bytes=100_000)
    body = form(part("file", b"x" * 200_000))
    status, response = balanced.call("POST", "/api/products/import", body, **{"Content-Type": KIND})
    assert (status, json.loads(response)["code"]) == (400, "FILE_TOO_LARGE")


def test_without_a_replica_the_balancer_answers_as_the_service_does(tmp_path: Path) -> None:
    """An envelope of an error, with when to come back."""
    with running_balancer(tmp_path, free_ports(2)) as port:
        balanced = Balanced(port, ())
        with closing(balanced.connect()) as connection:
            connection.request("GET", "/api/products")
            response = connection.getresponse()
            envelope = json.loads(response.read())
    assert (response.status, response.headers["Retry-After"]) == (503, "2")
    assert (envelope["error"], envelope["code"], envelope["details"]) == (
        True,
        "GENERATION_ERROR",
        {"reason": "overloaded"},
    )


def _seconds(timeout: str) -> float:
    [line] = [line.split() for line in EXAMPLE.read_text().splitlines() if line.split()[:2] == ["timeout", timeout]]
    return float(line[2].removesuffix("s"))


def test_times_fit_those_of_the_service() -> None:
    """The service gives a request up before the balancer does; the balancer an idle connection before the service."""
    settings, limits = Settings(), DatabaseLimits()
    longest = limits.write_wait + limits.busy_timeout + limits.statement_timeout
    assert _seconds("server") > longest
    assert _seconds("http-keep-alive") < settings.idle_timeout
    assert _seconds("http-request") == settings.head_timeout
    assert f"maxconn {settings.max_requests}\n" in EXAMPLE.read_text()
