"""TLS served by the service itself: what clients get, which versions, and which files stop the start."""

import http.client
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from tests.served import Service, StartError

ServiceMaker = Callable[..., Service]
WAIT = 20.0
"""Seconds after which a test stops waiting for a process."""
LONG = b"x" * 2_000_000
"""More than one TLS record, and more than a socket buffers."""


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Return a shop's own certificate authority."""
    return trustme.CA()


@pytest.fixture(scope="module")
def files(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the settings of a certificate for the loopback address, with its key."""
    folder = tmp_path_factory.mktemp("tls")
    issued = authority.issue_cert("127.0.0.1", "localhost")
    names = {"tls_cert": folder / "cert.pem", "tls_key": folder / "key.pem"}
    for number, blob in enumerate(issued.cert_chain_pems):
        blob.write_to_path(str(names["tls_cert"]), append=number > 0)
    issued.private_key_pem.write_to_path(str(names["tls_key"]))
    return names


@pytest.fixture
def service(files: dict[str, Path], tmp_path: Path) -> Iterator[Service]:
    """Return a service that speaks HTTPS."""
    served = Service(tmp_path, **files, idle_timeout=5, head_timeout=2)
    yield served
    served.kill()


@pytest.fixture
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """Return the SSL context of a device that trusts the shop's authority."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def _port(service: Service) -> int:
    return int(service.address.rpartition(":")[2])


def _connected(service: Service, context: ssl.SSLContext) -> ssl.SSLSocket:
    plain = socket.create_connection(("127.0.0.1", _port(service)), timeout=WAIT)
    return context.wrap_socket(plain, server_hostname="127.0.0.1")


def _read(service: Service, context: ssl.SSLContext, path: str) -> bytes:
    with closing(http.client.HTTPSConnection("127.0.0.1", _port(service), timeout=WAIT, context=context)) as connection:
        connection.request("GET", path)
        return connection.getresponse().read()


def test_the_printed_address_says_https(service: Service, trusting: ssl.SSLContext) -> None:
    """The printed URL can be opened as it is, and has the page and the API."""
    assert service.address.startswith("https://127.0.0.1:")
    assert b"<html" in _read(service, trusting, "/")
    assert _read(service, trusting, "/api/products") == (
        b'{"success":true,"data":[],"pagination":{"page":1,"limit":50,"total":0,"pages":0}}'
    )


def test_nothing_is_pinned_for_the_next_time(service: Service, trusting: ssl.SSLContext) -> None:
    """A shop with an expired certificate is not locked out of its own service (no Strict-Transport-Security)."""
    with closing(http.client.HTTPSConnection("127.0.0.1", _port(service), timeout=WAIT, context=trusting)) as asked:
        asked.request("GET", "/")
        assert asked.getresponse().getheader("Strict-Transport-Security") is None


def test_a_session_that_began_over_https_stays_there(service: Service, trusting: ssl.SSLContext) -> None:
    """Its cookie is never sent in the clear."""
    with closing(http.client.HTTPSConnection("127.0.0.1", _port(service), timeout=WAIT, context=trusting)) as asked:
        asked.request("GET", "/")
        assert str(asked.getresponse().getheader("Set-Cookie")).endswith("; Secure")


@pytest.mark.parametrize(
    ("scheme", "site", "status"),
    [
        ("https", None, 201),
        ("http", None, 400),
        ("https", "same-origin", 201),
        ("http", "same-site", 400),
        ("http", "cross-site", 400),
        ("https", "cross-site", 400),
    ],
)
def test_a_page_of_plain_http_is_foreign(
    service: Service, trusting: ssl.SSLContext, scheme: str, site: str | None, status: int
) -> None:
    """An attacker who controls `http://` for this host cannot change anything at `https://`."""
    port = _port(service)
    headers = {"Content-Type": "application/json", "Origin": f"{scheme}://localhost:{port}"}
    headers |= {"Sec-Fetch-Site": site} if site else {}
    with closing(http.client.HTTPSConnection("localhost", port, timeout=WAIT, context=trusting)) as asked:
        asked.request("POST", "/api/products", b'{"product_code":"A-1","description":"x"}', headers)
        assert asked.getresponse().status == status


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


def test_who_speaks_plain_http_harms_no_one(service: Service, trusting: ssl.SSLContext) -> None:
    """The connection ends, and the next client is served."""
    with socket.create_connection(("127.0.0.1", _port(service)), timeout=WAIT) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with suppress(ConnectionError):
            assert b"HTTP/1.1" not in connection.recv(1000)
    assert b"<html" in _read(service, trusting, "/")


def test_who_never_shakes_hands_is_let_go(service: Service) -> None:
    """A connection without a TLS handshake has the time limit of a head."""
    with socket.create_connection(("127.0.0.1", _port(service)), timeout=WAIT) as silent, suppress(ConnectionError):
        assert silent.recv(100) == b""


def test_connections_without_a_handshake_count(
    files: dict[str, Path], tmp_path: Path, trusting: ssl.SSLContext
) -> None:
    """Silent ones take no more than the limit; one more is closed at once, and an open page goes on."""
    service = Service(tmp_path, **files, max_connections=4, head_timeout=60)
    try:
        with ExitStack() as opened:
            page = opened.enter_context(_connected(service, trusting))
            silent = opened.enter_context(socket.create_connection(("127.0.0.1", _port(service)), timeout=WAIT))
            refused = opened.enter_context(socket.create_connection(("127.0.0.1", _port(service)), timeout=WAIT))
            assert refused.recv(100) == b""
            page.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert page.recv(100).startswith(b"HTTP/1.1 200 ")
            silent.close()
            page.close()
        while True:  # until the service has seen that they left
            with suppress(OSError):
                assert b"<html" in _read(service, trusting, "/")
                break
    finally:
        service.kill()


def test_bounds_of_a_connection_hold_within_tls(service: Service, trusting: ssl.SSLContext) -> None:
    """An unfinished head times out, and one that is too long is refused."""
    with _connected(service, trusting) as slow, _connected(service, trusting) as long:
        slow.sendall(b"GET / HTTP/1.1\r\nHost:")
        long.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-Filler: x\r\n" * 5000)
        assert b" 400 Bad Request" in long.recv(100)
        assert slow.recv(100) == b""


def test_large_bodies_come_whole(service: Service, trusting: ssl.SSLContext) -> None:
    """In both directions: a large body is refused with a message, a large response arrives completely."""
    with closing(http.client.HTTPSConnection("127.0.0.1", _port(service), timeout=WAIT, context=trusting)) as asked:
        asked.request("POST", "/api/products", LONG, {"Content-Type": "application/json"})
        refused = asked.getresponse()
        assert (refused.status, refused.read()[:14]) == (400, b'{"error":true,')
        asked.request("GET", "/api/openapi.json")
        assert asked.getresponse().read().endswith(b"}")


def test_a_stop_waits_for_no_idle_connection(service: Service, trusting: ssl.SSLContext) -> None:
    """An open, idle page does not delay the stop."""
    with _connected(service, trusting) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
        before = time.monotonic()
        assert service.stop().status == 0
        assert time.monotonic() < before + WAIT / 2


def _start_refused(folder: Path, **settings: object) -> str:
    """Start with invalid settings, and return the message; the status is 2."""
    with pytest.raises(StartError) as refused:
        Service(folder, **settings)
    status, output, errors = refused.value.end
    assert (status, output) == (2, "")
    head, _, told = errors.strip().partition("\n")
    assert head == "barcodesvc cannot start:"
    assert "Traceback" not in told
    return told


@pytest.fixture
def folder(files: dict[str, Path], authority: trustme.CA) -> Path:
    """Return the folder of the certificate and its key, with a damaged certificate and the key of another one."""
    found = files["tls_cert"].parent
    authority.issue_cert("other.example").private_key_pem.write_to_path(str(found / "other.pem"))
    (found / "damaged.pem").write_text("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n")
    return found


@pytest.mark.parametrize(
    ("cert", "key", "said"),
    [
        ("key.pem", "cert.pem", "PEM lib"),
        ("cert.pem", "cert.pem", "PEM lib"),
        ("damaged.pem", "key.pem", "PEM lib"),
        ("cert.pem", "other.pem", "key values mismatch"),
    ],
    ids=["swapped", "no key", "damaged", "another certificate's key"],
)
def test_files_that_do_not_fit_stop_the_start(folder: Path, tmp_path: Path, cert: str, key: str, said: str) -> None:
    """The message names the variables, the files and what they should be, and repeats what OpenSSL says."""
    told = _start_refused(tmp_path, tls_cert=folder / cert, tls_key=folder / key)
    names = f"{folder / cert} and {folder / key}"
    assert told.startswith(f"BARCODESVC_TLS_CERT, BARCODESVC_TLS_KEY: {names} are not a certificate and its key in PEM")
    assert said in told


def test_an_encrypted_key_stops_the_start(files: dict[str, Path], tmp_path: Path) -> None:
    """A service has no terminal to ask for the password; the message says so."""
    locked = tmp_path / "locked.pem"
    key = load_pem_private_key(files["tls_key"].read_bytes(), None)
    locked.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))
    assert "the key is encrypted" in _start_refused(tmp_path, **{**files, "tls_key": locked})
