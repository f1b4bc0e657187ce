"""TLS served by the service itself: what clients get, which versions, and which files stop the start."""

import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path
from socket import create_connection

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from barcodesvc.api.server import tls_context
from barcodesvc.config import Settings
from barcodesvc.errors import StartError
from tests.served import Service

WAIT = 20.0
"""Seconds after which a test stops waiting for a process."""
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Return a shop's own certificate authority."""
    return trustme.CA()


@pytest.fixture(scope="module")
def folder(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a certificate for the loopback address, its key, and files that do not fit."""
    folder = tmp_path_factory.mktemp("tls")
    issued = authority.issue_cert("127.0.0.1", "localhost")
    for number, blob in enumerate(issued.cert_chain_pems):
        blob.write_to_path(str(folder / "cert.pem"), append=number > 0)
    issued.private_key_pem.write_to_path(str(folder / "key.pem"))
    authority.issue_cert("other.example").private_key_pem.write_to_path(str(folder / "other.pem"))
    (folder / "damaged.pem").write_text("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n")
    key = load_pem_private_key((folder / "key.pem").read_bytes(), None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    (folder / "locked.pem").write_bytes(locked)
    return folder


@pytest.fixture(scope="module")
def service(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service that speaks HTTPS."""
    settings = {"tls_cert": folder / "cert.pem", "tls_key": folder / "key.pem", "head_timeout": 2}
    with Service(tmp_path_factory.mktemp("served"), **settings) as served:
        yield served


@pytest.fixture
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """Return the SSL context of a device that trusts the shop's authority."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def _connected(service: Service, context: ssl.SSLContext) -> ssl.SSLSocket:
    plain = create_connection(("127.0.0.1", service.port), timeout=WAIT)
    return context.wrap_socket(plain, server_hostname="127.0.0.1")


def _exchanged(
    service: Service, context: ssl.SSLContext, asked: str = "GET /", body: bytes | None = None, **headers: str
) -> tuple[HTTPResponse, bytes]:
    """Return the response to a request, and its body."""
    with closing(HTTPSConnection("localhost", service.port, timeout=WAIT, context=context)) as connection:
        method, _, path = asked.partition(" ")
        connection.request(method, path, body, {"Content-Type": "application/json"} | headers)
        response = connection.getresponse()
        return response, response.read()


def test_the_printed_address_says_https(service: Service, trusting: ssl.SSLContext) -> None:
    """It has the page and the API, with bodies of many TLS records; a session that began there stays there.

    Nothing is pinned for the next time (no Strict-Transport-Security): an expired certificate locks no shop out.
    """
    assert service.address.startswith("https://127.0.0.1:")
    response, page = _exchanged(service, trusting)
    assert b"<html" in page
    assert str(response.getheader("Set-Cookie")).endswith("; Secure")
    assert response.getheader("Strict-Transport-Security") is None
    refused, message = _exchanged(service, trusting, "POST /api/products", b"x" * 2_000_000)
    assert (refused.status, message[:14]) == (400, b'{"error":true,')
    assert _exchanged(service, trusting, "GET /api/openapi.json")[1].endswith(b"}")


@pytest.mark.parametrize(("scheme", "status"), [("https", 404), ("http", 400)])
def test_a_page_of_plain_http_is_foreign(service: Service, trusting: ssl.SSLContext, scheme: str, status: int) -> None:
    """An attacker who controls `http://` for this host cannot change anything at `https://`."""
    origin = f"{scheme}://localhost:{service.port}"
    assert _exchanged(service, trusting, "DELETE /api/products/1", Origin=origin)[0].status == status


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_usual_versions_are_spoken(service: Service, trusting: ssl.SSLContext, version: ssl.TLSVersion) -> None:
    """TLS 1.2 and 1.3, and HTTP/1.1 within."""
    trusting.minimum_version = trusting.maximum_version = version
    trusting.set_alpn_protocols(["h2", "http/1.1"])
    with _connected(service, trusting) as connection:
        assert connection.version() == {"TLSv1_2": "TLSv1.2", "TLSv1_3": "TLSv1.3"}[version.name]
        assert connection.selected_alpn_protocol() == "http/1.1"


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated:DeprecationWarning")
def test_an_old_version_is_refused(service: Service, trusting: ssl.SSLContext) -> None:
    """TLS 1.1 is not supported (RFC 8996), even for a client that accepts any cipher."""
    trusting.minimum_version = trusting.maximum_version = ssl.TLSVersion.TLSv1_1
    trusting.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.raises((ssl.SSLError, ConnectionError)):
        _connected(service, trusting)


def test_who_sends_no_request_is_let_go(service: Service, trusting: ssl.SSLContext) -> None:
    """Who never shakes hands, speaks plain HTTP, ends no head or sends one that is too long; others are served."""
    with ExitStack() as opened:
        silent, plain = [
            opened.enter_context(create_connection(("127.0.0.1", service.port), timeout=WAIT)) for _ in range(2)
        ]
        slow, long = [opened.enter_context(_connected(service, trusting)) for _ in range(2)]
        plain.sendall(HEALTH)
        slow.sendall(b"GET / HTTP/1.1\r\nHost:")
        long.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-Filler: x\r\n" * 5000)
        assert b" 400 Bad Request" in long.recv(100)
        with suppress(ConnectionError):
            assert b"HTTP/1.1" not in plain.recv(1000)
        assert slow.recv(100) == b""
        with suppress(ConnectionError):
            assert silent.recv(100) == b""
    assert b"<html" in _exchanged(service, trusting)[1]


def test_connections_without_a_handshake_count(folder: Path, tmp_path: Path, trusting: ssl.SSLContext) -> None:
    """One too many is closed at once, and an open page goes on; a stop waits for neither."""
    settings = {"tls_cert": folder / "cert.pem", "tls_key": folder / "key.pem", "head_timeout": 60}
    with Service(tmp_path, **settings, max_connections=4) as service, ExitStack() as opened:
        page = opened.enter_context(_connected(service, trusting))
        opened.enter_context(create_connection(("127.0.0.1", service.port), timeout=WAIT))
        refused = opened.enter_context(create_connection(("127.0.0.1", service.port), timeout=WAIT))
        assert refused.recv(100) == b""
        page.sendall(HEALTH)
        assert page.recv(100).startswith(b"HTTP/1.1 200 ")
        before = time.monotonic()
        assert service.stop().status == 0
        assert time.monotonic() < before + WAIT / 2


@pytest.mark.parametrize(
    ("cert", "key", "said"),
    [
        ("key.pem", "cert.pem", "PEM lib"),
        ("damaged.pem", "key.pem", "PEM lib"),
        ("cert.pem", "other.pem", "key values mismatch"),
        ("cert.pem", "locked.pem", "the key is encrypted"),
    ],
    ids=["swapped", "damaged", "another certificate's key", "encrypted"],
)
def test_files_that_do_not_fit_stop_the_start(folder: Path, cert: str, key: str, said: str) -> None:
    """The message names variables and files, and repeats what OpenSSL says; no terminal is asked for a password."""
    with pytest.raises(StartError) as refused:
        tls_context(Settings(tls_cert=folder / cert, tls_key=folder / key))
    told = f"{folder / cert} and {folder / key} are not a certificate and its key in PEM"
    assert str(refused.value).startswith("BARCODESVC_TLS_")
    assert said in str(refused.value)
    assert told in str(refused.value) or key == "locked.pem"
