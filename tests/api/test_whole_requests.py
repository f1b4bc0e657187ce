from __future__ import annotations

import pytest

from barcodesvc.api.whole_requests import kind_in

GET = b"GET /api/products?page=2 HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n"
POST = b"POST /api/codes/barcode HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\nabc"


@pytest.mark.parametrize(
    ("packet", "kind"),
    [
        (GET, "GET /api/products"),
        (POST, "POST /api/codes/barcode"),
        (POST.replace(b"codes/barcode", b"inventory/5/adjust"), "POST /api/inventory/0"),
        (POST.replace(b"Content-Length: 3", b"content-length:3"), "POST /api/codes/barcode"),
        (POST.replace(b"Host: x", b"Connection: keep-alive\r\nhost: x"), "POST /api/codes/barcode"),
    ],
    ids=["get", "post", "a product", "small letters", "keep-alive"],
)
def test_a_whole_request_is_known_by_its_kind(packet: bytes, kind: str) -> None:
    """The kind is method and path, without the query."""
    assert kind_in(packet) == kind


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        GET[:-1],
        GET + GET,
        GET + b"x",
        POST[:-1],
        POST + b"x",
        POST.replace(b"Content-Length: 3", b"Content-Length: 3\r\nContent-Length: 3"),
        POST.replace(b"Content-Length: 3", b"Content-Length: 3\r\nContent-Length: x"),
        POST.replace(b"Content-Length: 3", b"Content-Length: 3\r\nContent-Length : 4"),
        POST.replace(b"Content-Length: 3", b"Content-Length: +3"),
        POST.replace(b"Content-Length: 3", b"Content-Length: 3\r\nTransfer-Encoding: chunked"),
        POST.replace(b"Content-Length: 3", b"Content-Length: 3\r\nExpect: 100-continue"),
        GET.replace(b"Accept: */*", b"Connection: close"),
        GET.replace(b"Accept: */*", b"Connection:Close"),
        GET.replace(b"Accept: */*", b"Connection: keep-alive,\t close"),
        GET.replace(b"Accept: */*", b"Origin: https://kiosk.example"),
        GET.replace(b"Accept: */*", b"Connection: Upgrade\r\nUpgrade: websocket"),
        GET.replace(b"Accept: */*", b"Accept: a\r\n b"),
        GET.replace(b"Accept: */*", b"Host: y"),
        GET.replace(b"Host: x\r\n", b""),
        GET.replace(b"HTTP/1.1", b"HTTP/1.0"),
        GET.replace(b"GET", b"HEAD"),
        GET.replace(b"GET", b"OPTIONS"),
        GET.replace(b"/api", b"http://x/api"),
        GET.replace(b"products", b"pro\xffducts"),
        b"\r\n" + GET,
        GET.replace(b"Accept: */*", b"Accept: " + b"a" * 1024),
    ],
)
def test_anything_else_is_left_to_the_parser(packet: bytes) -> None:
    """What is cut short, pipelined, framed otherwise, or the last request of its connection is none."""
    assert kind_in(packet) is None
