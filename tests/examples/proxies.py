"""The proxies of docs/examples, run by the programs that are installed, with other ports and files and nothing else."""

import http.client
import json
import shutil
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import trustme

from tests.pages import ROOT
from tests.served import WAIT, Service
from tests.servers.balancer import LOOPBACK, free_ports, listening, running_balancer

EXAMPLES = ROOT / "docs" / "examples"
NAME = "shop.example.com"
"""The name of the service in the examples."""
_PATH = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin"
_NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/barcodesvc.conf;
}}
"""
_CADDY = """{{
	admin off
	auto_https disable_redirects
	http_port {plain_port}
	storage file_system {folder}/storage
}}
"""
"""Caddy as it is in a test: the certificate is given, so that it requests none."""


@dataclass(frozen=True)
class Response:
    """What a client gets."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def is_of_service(self) -> bool:
        """Whether the service has answered, and not the proxy."""
        return "X-Request-ID" in self.headers


@dataclass(frozen=True)
class Proxy:
    """A running proxy: its scheme and port, the authority that its clients trust, and the service behind it."""

    name: str
    scheme: str
    port: int
    trusted: ssl.SSLContext
    service: Service

    @property
    def origin(self) -> str:
        """The origin of the service's page."""
        return f"{self.scheme}://{NAME}:{self.port}"

    def connect(self, source: str = LOOPBACK) -> http.client.HTTPConnection:
        """Return a connection from this address of the machine."""
        connection = http.client.HTTPConnection(NAME, self.port, timeout=WAIT)
        plain = socket.create_connection((LOOPBACK, self.port), timeout=WAIT, source_address=(source, 0))
        secure = self.scheme == "https"
        connection.sock = self.trusted.wrap_socket(plain, server_hostname=NAME) if secure else plain
        return connection

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        source: str = LOOPBACK,
    ) -> Response:
        """Send one request, as it is written, and return the response."""
        told = {"Host": f"{NAME}:{self.port}", "Content-Type": "application/json", **(headers or {})}
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        with closing(self.connect(source)) as connection:
            connection.putrequest(method, path, skip_host=True)
            for name, value in {**told, "Content-Length": str(len(sent or b""))}.items():
                connection.putheader(name, value)
            try:
                connection.endheaders(sent)
                response = connection.getresponse()
                return Response(response.status, response.headers, response.read())
            except (http.client.RemoteDisconnected, ConnectionResetError):
                return Response(0, http.client.HTTPMessage(), b"")


def program(name: str) -> str | None:
    """Return the path of a program, None where it is not installed."""
    return shutil.which(name, path=_PATH)


@contextmanager
def haproxy(folder: Path, service_port: int) -> Iterator[tuple[str, int]]:
    """Run the balancer before one replica."""
    with running_balancer(folder, [service_port], NAME) as port:
        yield "http", port


@contextmanager
def nginx(folder: Path, service_port: int) -> Iterator[tuple[str, int]]:
    """Run nginx."""
    plain, port = free_ports(2)
    changes = {
        "server 127.0.0.1:8080;": (1, f"server {LOOPBACK}:{service_port};"),
        "listen 80": (2, f"listen {LOOPBACK}:{plain}"),
        "listen 443": (2, f"listen {LOOPBACK}:{port}"),
        " /etc/nginx/shop": (2, f" {folder}/shop"),
    }
    (folder / "barcodesvc.conf").write_text(changed("nginx.conf", changes))
    (folder / "nginx.conf").write_text(_NGINX.format(folder=folder))
    command: list[str | Path] = [
        program("nginx") or "",
        "-p",
        folder,
        "-c",
        folder / "nginx.conf",
        "-e",
        folder / "error.log",
    ]
    with listening(command, port, folder / "output"):
        yield "https", port


@contextmanager
def caddy(folder: Path, service_port: int) -> Iterator[tuple[str, int]]:
    """Run Caddy."""
    plain, port = free_ports(2)
    pair = f"{folder}/shop.pem {folder}/shop-key.pem"
    changes = {
        f"\n{{$SHOP_NAME:{NAME}}} {{\n": (1, f"\nhttps://{NAME}:{port} {{\n\tbind {LOOPBACK}\n\ttls {pair}\n"),
        "127.0.0.1:8080": (1, f"{LOOPBACK}:{service_port}"),
    }
    text = _CADDY.format(folder=folder, plain_port=plain) + changed("Caddyfile", changes)
    (folder / "Caddyfile").write_text(text)
    with listening([program("caddy") or "", "run", "--config", folder / "Caddyfile"], port, folder / "output"):
        yield "https", port


PROXIES: Mapping[str, Callable[[Path, int], AbstractContextManager[tuple[str, int]]]] = {
    "haproxy": haproxy,
    "nginx": nginx,
    "caddy": caddy,
}


def changed(name: str, changes: Mapping[str, tuple[int, str]]) -> str:
    """Return an example with changes, each of which must be made this many times."""
    text = (EXAMPLES / name).read_text()
    for old, (times, new) in changes.items():
        assert text.count(old) == times, f"{name}: {old}"
        text = text.replace(old, new)
    return text


def certificate(folder: Path) -> ssl.SSLContext:
    """Write a certificate of the service's name into the folder, and return what trusts it."""
    authority = trustme.CA()
    issued = authority.issue_cert(NAME)
    issued.cert_chain_pems[0].write_to_path(str(folder / "shop.pem"))
    issued.private_key_pem.write_to_path(str(folder / "shop-key.pem"))
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context
