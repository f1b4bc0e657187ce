"""Several processes on one port of one machine, with one PostgreSQL database."""

import http.client
import json
import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing

import psutil
import pytest

from tests.engines import Place, ServerPlaces
from tests.process.in_flight import ENDED_WELL
from tests.served import WAIT, Service, StartError

PRODUCT = {"product_code": "A-1", "description": "x"}
_STARTED = re.compile(r"^process_start_time_seconds (\S+)$", re.MULTILINE)
_CONNECTIONS = 64
"""New connections after which each of two processes has accepted some: the system distributes them at random."""


@pytest.fixture
def shared(postgres: ServerPlaces) -> Iterator[Place]:
    """Return a database that both processes serve."""
    with postgres.one() as place:
        yield place


@pytest.fixture
def both(start: Callable[..., Service], shared: Place) -> Iterator[list[Service]]:
    """Return two services on one port."""
    with closing(socket.socket()) as kept:  # bound, so that no other process takes the port, and not listening
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        kept.bind(("127.0.0.1", 0))
        settings = {"port": kept.getsockname()[1], "database": shared, "reuse_port": "true", "metrics": "true"}
        yield [start(**settings), start(**settings)]


def _connected(service: Service) -> http.client.HTTPConnection:
    """Return a new connection to the port of the service, whichever process accepts it."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=WAIT)
    connection.connect()
    return connection


def _asked(connection: http.client.HTTPConnection, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    connection.request(method, path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, response.read()


def _taker(connection: http.client.HTTPConnection, both: list[Service]) -> Service:
    """Return the service that has accepted a connection, by the time of its start."""
    found = _STARTED.search(_asked(connection, "GET", "/metrics")[1].decode())
    assert found
    started = float(found[1])
    return min(both, key=lambda service: abs(psutil.Process(service.process.pid).create_time() - started))


def _connection_to(service: Service, both: list[Service]) -> http.client.HTTPConnection:
    """Return a connection that this service has accepted."""
    for _ in range(_CONNECTIONS):
        connection = _connected(service)
        if _taker(connection, both) is service:
            return connection
        connection.close()
    pytest.fail("the service takes no connection")


def test_both_answer_on_one_port_for_one_catalogue(both: list[Service]) -> None:
    """What one has stored, the other one returns."""
    connections = [_connection_to(service, both) for service in both]
    with closing(connections[0]), closing(connections[1]):
        assert _asked(connections[0], "POST", "/api/products", PRODUCT)[0] == 201
        assert _asked(connections[1], "GET", "/api/products/1")[0] == 200


def test_a_second_process_that_does_not_share_the_port_is_refused(
    both: list[Service], start: Callable[..., Service], shared: Place
) -> None:
    """Both need the setting."""
    with pytest.raises(StartError) as refused:
        start(port=both[0].port, database=shared)
    assert (refused.value.end.status, "cannot listen on" in refused.value.end.errors) == (2, True)


def test_one_that_is_stopped_answers_what_is_in_flight_and_the_other_goes_on(both: list[Service]) -> None:
    """New connections go to the other process immediately."""
    stopped, other = both
    with closing(_connection_to(stopped, both)) as connection:
        assert _asked(connection, "POST", "/api/products", PRODUCT)[0] == 201
        labels = {"products": [f"C-{number}" for number in range(3000)]}
        connection.request(
            "POST", "/api/codes/printable", json.dumps(labels).encode(), {"Content-Type": "application/json"}
        )
        for _ in range(3):
            _connection_to(stopped, both).close()  # which is answered: the request before it is being handled
        stopped.process.send_signal(signal.SIGTERM)
        response = connection.getresponse()
        assert (response.status, response.read().rstrip().endswith(b"%%EOF")) == (200, True)
        assert response.getheader("Connection") == "close"
    assert stopped.ended() == ENDED_WELL
    assert [other.exchange("GET", "/api/products/1")[0] for _ in range(_CONNECTIONS)] == [200] * _CONNECTIONS
