"""What the proxies of docs/examples let through, from a client that lies in every header, and how one balances."""

import json
import re
import signal
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path

import pytest

from barcodesvc.config import Settings
from barcodesvc.store.limits import DatabaseLimits
from tests.engines import ServerPlaces
from tests.examples.proxies import EXAMPLES, NAME, PROXIES, Proxy, certificate, changed, program
from tests.forms import KIND, form, part
from tests.process.in_flight import workbook
from tests.served import UNLIMITED, Service
from tests.servers.balancer import LOOPBACK, free_ports, running_balancer

pytestmark = pytest.mark.full_run

KEY = "correct-horse-battery-staple"
WITH_KEY = {"X-API-Key": KEY}
LIES = {
    "X-Forwarded-For": "192.0.2.1",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Proto": "gopher",
    "X-Real-IP": "192.0.2.1",
    "Forwarded": "for=192.0.2.1;host=evil.example;proto=gopher",
}
EVENTS = {"Accept": "text/event-stream"}
METRICS = [
    *("/metrics", "/metrics?x", "/metrics#x", "/%6detrics", "/%6Detrics?x", "//metrics", "/./metrics", "/x/../metrics"),
    *("/metrics/", "/METRICS", "/metrics;x", "/%2Fmetrics", "/metrics%00", "/%256detrics", "/x/%2e%2e/metrics"),
    *(f"http://{NAME}/metrics", f"https://{NAME}/%6detrics"),
]
"""Spellings of the path of the metrics, some of which the service would answer."""


@pytest.fixture(scope="module", params=PROXIES)
def proxy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """Return each proxy before a service with the settings that its example names."""
    name = str(request.param)
    if program(name) is None:
        pytest.skip(f"needs {name}")
    folder = tmp_path_factory.mktemp(name)
    trusted = certificate(folder)
    settings = {"api_key": KEY, "trusted_proxies": LOOPBACK, "allowed_hosts": NAME, "rate_limit": "1000/hour"}
    service = Service(folder, max_upload_bytes=2_000_000, **settings)
    with ExitStack() as running:
        running.callback(service.kill)
        scheme, port = running.enter_context(PROXIES[name](folder, service.port))
        yield Proxy(name, scheme, port, trusted, service)


def _left(proxy: Proxy, source: str, **lies: str) -> int:
    """Return how many requests a client at this address has left."""
    response = proxy.call("GET", "/api/products", headers={**WITH_KEY, **lies}, source=source)
    assert response.status == 200, response.body
    return int(response.headers["RateLimit-Remaining"])


def test_the_client_is_who_has_connected(proxy: Proxy) -> None:
    """Whatever address it names, all of its requests count together, and no one else's with them."""
    lies = [dict.fromkeys(("X-Forwarded-For", "X-Real-IP"), address) for address in ("192.0.2.1", "x", LOOPBACK)]
    lies += [{"X-Forwarded-For": "192.0.2.1, 127.0.0.1"}, {"Forwarded": "for=192.0.2.1"}]
    assert [_left(proxy, "127.0.0.2", **lie) for lie in lies] == [999, 998, 997, 996, 995]
    assert _left(proxy, "127.0.0.3", **{"X-Forwarded-For": "127.0.0.2"}) == 999


def test_a_client_on_the_machine_of_the_proxy_passes_for_no_one_else(proxy: Proxy) -> None:
    """Its address is trusted, so whatever it could add to a list of addresses would be believed."""
    first, *others = [_left(proxy, LOOPBACK, **{"X-Forwarded-For": f"192.0.2.{number}"}) for number in range(3)]
    assert others == [first - 1, first - 2]


def test_lies_about_scheme_and_host_are_replaced(proxy: Proxy) -> None:
    """The request is answered as if the client had sent none of these headers."""
    response = proxy.call("GET", "/api/products", headers={**WITH_KEY, **LIES})
    assert (response.status, response.is_of_service) == (200, True)


@pytest.mark.parametrize("claimed", ["http", "https", "https, http"])
def test_the_cookie_is_for_the_scheme_of_the_proxy(proxy: Proxy, claimed: str) -> None:
    """A session of HTTPS never goes over the network in the clear, and one of plain HTTP is kept by the browser."""
    lies = LIES | {"X-Forwarded-Proto": claimed}
    response = proxy.call("POST", "/api/page/session", {"api_key": KEY}, headers=lies)
    assert response.status == 200
    [cookie] = SimpleCookie(response.headers["Set-Cookie"]).values()
    assert bool(cookie["secure"]) is (proxy.scheme == "https")


def _created(proxy: Proxy, code: str, **headers: str) -> int:
    draft = {"product_code": code, "description": "x"}
    return proxy.call("POST", "/api/products", draft, headers={**WITH_KEY, **LIES, **headers}).status


def test_the_own_page_changes_something(proxy: Proxy) -> None:
    """Its origin is known by scheme, name and port, whatever a client claims."""
    assert _created(proxy, "OWN", Origin=proxy.origin) == 201


@pytest.mark.parametrize(
    "origin", ["{other}://shop.example.com:{port}", "{scheme}://shop.example.com:1", "{scheme}://evil.example", "null"]
)
def test_a_foreign_page_changes_nothing(proxy: Proxy, origin: str) -> None:
    """Not that of the other scheme or of another port of the same name either."""
    other = "http" if proxy.scheme == "https" else "https"
    origin = origin.format(scheme=proxy.scheme, other=other, port=proxy.port)
    assert _created(proxy, "FOREIGN", Origin=origin) == 400


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:443", "localhost", LOOPBACK, f"{NAME}.evil.example", f"x{NAME}", "x", ""]
)
def test_no_other_name_reaches_the_service(proxy: Proxy, host: str) -> None:
    """A page with a rebound name is not answered, whatever it forwards."""
    lies = LIES | {"X-Forwarded-Host": NAME}
    for path in ("/", "/api/products", "/health"):
        response = proxy.call("GET", path, headers={**WITH_KEY, **lies, "Host": host})
        assert not response.is_of_service
        assert b"success" not in response.body


def test_a_name_in_the_request_line_changes_nothing(proxy: Proxy) -> None:
    """Of two names in one request neither lets the other one pass."""
    for target, host in ((f"{proxy.scheme}://evil.example/api/products", NAME), (f"{proxy.origin}/", "evil.example")):
        response = proxy.call("GET", target, headers={**WITH_KEY, "Host": host})
        assert b"success" not in response.body


@pytest.mark.parametrize("path", METRICS)
def test_metrics_stay_inside(proxy: Proxy, path: str) -> None:
    """No spelling of the path shows them, with the key or without it."""
    for headers in ({}, WITH_KEY):
        response = proxy.call("GET", path, headers={**LIES, **headers})
        assert b"barcodesvc_" not in response.body
        assert response.status != 200


def test_the_api_asks_for_the_key(proxy: Proxy) -> None:
    """No one outside the machine reads or changes anything without it."""
    assert proxy.call("GET", "/api/products", headers=LIES).status == 401
    assert proxy.call("DELETE", "/api/products/1", headers=LIES).status == 401
    assert proxy.call("GET", "/health", headers=LIES).status == 200


def test_a_large_upload_goes_through_to_the_service(proxy: Proxy) -> None:
    """What is too large is refused by the service, in its own words."""
    for size, code in ((1_500_000, "INVALID_FILE_FORMAT"), (3_000_000, "FILE_TOO_LARGE")):
        body = form(part("file", b"x" * size))
        response = proxy.call("POST", "/api/products/import", body, headers=WITH_KEY | {"Content-Type": KIND})
        assert (response.status, json.loads(response.body)["code"]) == (400, code)


def test_a_body_that_comes_slowly_waits_in_the_proxy(proxy: Proxy) -> None:
    """The service gets the request once its body has come, or 16 KiB of it; Caddy passes it on at once."""
    arriving = 1 if proxy.name == "caddy" else 0
    body = form(part("file", workbook(5)))
    assert len(body) < 16_384
    with closing(proxy.connect()) as connection:
        connection.putrequest("POST", "/api/products/import?dry_run=true", skip_host=True)
        told = {"Host": f"{NAME}:{proxy.port}", "Content-Type": KIND, "Content-Length": str(len(body))}
        for name, value in {**WITH_KEY, **told}.items():
            connection.putheader(name, value)
        connection.endheaders(body[:-1])
        assert proxy.call("GET", "/api/products", headers=WITH_KEY).status == 200
        assert b"\nbarcodesvc_uploads_under_way %d.0\n" % arriving in proxy.service.download("/metrics")
        connection.send(body[-1:])
        assert connection.getresponse().status == 200


def test_the_events_of_an_import_come_as_they_are_sent(proxy: Proxy) -> None:
    """Its progress is seen while it goes on, and is not collected on the way."""
    body = form(part("file", workbook(20_000)))
    begun = time.monotonic()
    with closing(proxy.connect()) as connection:
        headers = {"Content-Type": KIND, **EVENTS, **WITH_KEY}
        connection.request("POST", "/api/products/import?dry_run=true", body, headers)
        response = connection.getresponse()
        came = [time.monotonic() - begun for line in iter(response.readline, b"") if line.startswith(b"event: ")]
    assert len(came) > 2
    assert came[0] < came[-1] / 1.2


@pytest.mark.skipif(program("caddy") is None, reason="needs Caddy")
def test_caddy_takes_in_bodies_with_the_lines_that_its_example_names(tmp_path: Path) -> None:
    """The installed version accepts the line of newer ones, or the lines of older ones."""
    accepted = []
    for names in (("request_buffers",), ("buffer_requests", "max_buffer_size")):
        text = changed("Caddyfile", {f"# {name}": (1, name) for name in names})
        (tmp_path / "Caddyfile").write_text(text)
        command = [program("caddy") or "", "adapt", "--config", str(tmp_path / "Caddyfile")]
        adapted = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - Caddy
        accepted.append(adapted.returncode == 0 and b"buffer" in adapted.stdout)
    assert any(accepted)


@pytest.mark.parametrize("example", ["haproxy.cfg", "nginx.conf", "Caddyfile", "barcodesvc@.service"])
def test_examples_name_the_settings_that_belong_to_them(example: str) -> None:
    """Each example says that the service needs a key, the proxy's address and its own name."""
    text = (EXAMPLES / example).read_text()
    for line in ("BARCODESVC_API_KEY=", f"BARCODESVC_TRUSTED_PROXIES={LOOPBACK}", f"BARCODESVC_ALLOWED_HOSTS={NAME}"):
        assert f"#     {line}" in text


@pytest.fixture
def replicas(postgres: ServerPlaces, tmp_path: Path) -> Iterator[list[Service]]:
    """Return two replicas on one database."""
    with postgres.one() as place, ExitStack() as running:
        settings = UNLIMITED | {"database": place, "trusted_proxies": LOOPBACK, "allowed_hosts": NAME}
        folders = [tmp_path / name for name in ("one", "other")]
        for folder in folders:
            folder.mkdir()
        yield [running.enter_context(Service(folder, **settings)) for folder in folders]


@pytest.fixture
def balancer(replicas: list[Service], tmp_path: Path) -> Iterator[Proxy]:
    """Return HAProxy before both replicas."""
    with running_balancer(tmp_path, [replica.port for replica in replicas], NAME) as port:
        yield Proxy("haproxy", "http", port, ssl.create_default_context(), replicas[0])


needs_haproxy = pytest.mark.skipif(program("haproxy") is None, reason="needs HAProxy")


@needs_haproxy
def test_a_replica_that_is_killed_costs_no_one_else_anything(balancer: Proxy) -> None:
    """Each request that comes behind its end is answered by the other one, also a change."""
    assert balancer.call("POST", "/api/products", {"product_code": "A-1", "description": "x"}).status == 201
    balancer.service.kill()
    for level in range(1, 21):
        response = balancer.call("POST", "/api/codes/scan", {"code_data": "A-1", "delta": 1})
        assert json.loads(response.body)["data"]["change"]["new_level"] == level
        assert balancer.call("GET", "/api/products").status == 200


@needs_haproxy
def test_a_replica_that_is_stopped_answers_what_is_in_flight(balancer: Proxy) -> None:
    """Those who come meanwhile are answered by the other one."""
    body = form(part("file", workbook(3000)))
    with closing(balancer.connect()) as connection:
        told = {"Host": f"{NAME}:{balancer.port}", "Content-Type": KIND, **EVENTS}
        connection.request("POST", "/api/products/import?mode=skip", body, told)
        response = connection.getresponse()
        first = response.readline()
        balancer.service.process.send_signal(signal.SIGTERM)
        assert [balancer.call("GET", "/api/products").status for _ in range(10)] == [200] * 10
        assert b"event: result" in first + response.read()


@needs_haproxy
def test_without_a_replica_the_balancer_answers_as_the_service_does(tmp_path: Path) -> None:
    """An envelope of an error, with when to come back."""
    with running_balancer(tmp_path, free_ports(2)) as port, closing(HTTPConnection(LOOPBACK, port)) as connection:
        connection.request("GET", "/api/products")
        response = connection.getresponse()
        envelope = json.loads(response.read())
    assert (response.status, response.headers["Retry-After"]) == (503, "2")
    assert envelope.pop("message")
    assert envelope == {"error": True, "code": "GENERATION_ERROR", "details": {"reason": "overloaded"}}


def test_times_of_the_balancer_fit_those_of_the_service() -> None:
    """The service gives a request up before the balancer does; the balancer an idle connection before the service."""
    settings, limits = Settings(), DatabaseLimits()
    text = (EXAMPLES / "haproxy.cfg").read_text()
    seconds = {name: float(value) for name, value in re.findall(r"timeout ([\w-]+) +(\d+)s", text)}
    assert seconds["server"] > limits.write_wait + limits.busy_timeout + limits.statement_timeout
    assert seconds["http-keep-alive"] < settings.idle_timeout
    assert seconds["http-request"] == settings.head_timeout
    assert f"maxconn {settings.max_requests}\n" in text
