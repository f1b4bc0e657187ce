from collections.abc import Callable
from typing import Any

import pytest

from tests.fixture_types import Client, Raw
from tests.forms import MULTIPART, form, part
from tests.sweeps import sweep

POST = b"POST /api/products HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
HIDDEN = b"DELETE /api/products/1 HTTP/1.1\r\nHost: x\r\n\r\n"
JSON = {"Content-Type": "application/json"}

SMUGGLED = {
    "both lengths": POST + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "both lengths, the other way round": POST
    + b"Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n"
    + HIDDEN,
    "two lengths": POST + b"Content-Length: 0\r\nContent-Length: 50\r\n\r\n" + HIDDEN,
    "a list of lengths": POST + b"Content-Length: 0, 50\r\n\r\n" + HIDDEN,
    "a signed length": POST + b"Content-Length: +0\r\n\r\n" + HIDDEN,
    "a length of other digits": POST + "Content-Length: \u0660\r\n\r\n".encode() + HIDDEN,
    "a length in base 16": POST + b"Content-Length: 0x0\r\n\r\n" + HIDDEN,
    "an unknown encoding": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "chunked not last": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + HIDDEN,
    "chunked twice": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a space before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a folded header": POST + b"X: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a folded encoding": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a bare LF in the head": POST + b"X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "bare LFs alone": POST.replace(b"\r\n", b"\n") + b"Content-Length: 0\n\n" + HIDDEN,
    "a bare CR in a header": POST + b"X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
    "a NUL in a header": POST + b"X: a\x00b\r\nContent-Length: 0\r\n\r\n" + HIDDEN,
    "a chunk size in another spelling": POST + b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n" + HIDDEN,
    "a negative chunk size": POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n" + HIDDEN,
    "a bare LF behind a chunk size": POST + b"Transfer-Encoding: chunked\r\n\r\n0\n\r\n" + HIDDEN,
    "a chunk longer than its size": POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n" + HIDDEN,
}


@sweep("sent", SMUGGLED.values())
async def test_no_request_hides_in_another(shop: Client, raw: Raw, sent: bytes) -> None:
    """If two parsers could disagree on where a request ends, it is refused, and what follows is not executed."""
    response = await raw(shop, sent)
    assert response.split(b" ", 2)[1] == b"400"
    assert response.count(b"HTTP/1.") == 1
    assert (await shop.get("/api/products/1")).status == 200


@sweep(
    "body",
    [
        b"[" * 100_000,
        b'{"description":' * 50_000,
        b'{"product_code":"B","description":' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"a":' * 2000 + b"1" + b"}" * 2000,
        b"9" * 1_000_000,
        b'{"product_code":"B","description":"x","initial_level":' + b"9" * 1_000_000 + b"}",
        b'{"product_code":"B","description":"x","initial_level":1e999999999}',
        b'{"product_code":"B","description":"x","initial_level":-0}x',
        b'{"product_code":"B","description":"x","initial_level":0x10}',
        b'{"product_code":"B","description":"x","initial_level":NaN}',
        b'{"product_code":"B","description":"' + b"\\ud800" * 1000 + b'"}',
        b'{"__proto__":{},"product_code":"B","description":"x"}',
        b"\xef\xbb\xbf\xff",
        b"\x00" * 1000,
        b'"' + b"\\" * 100_001,
    ],
)
@sweep("path", ["/api/products", "/api/inventory/1/adjust", "/api/codes/batch", "/api/codes/printable"])
async def test_a_json_bomb_is_a_plain_refusal(shop: Client, refused: Any, path: str, body: bytes) -> None:
    """Depth, size, and malformed JSON end in a short 400, and change nothing."""
    response = await shop.post(path, data=body, headers=JSON)
    reply = await refused(response, 400, "VALIDATION_ERROR")
    assert len(await response.read()) < 2000, reply
    assert (await (await shop.get("/api/products")).json())["pagination"]["total"] == 1


async def test_of_a_repeated_key_the_last_counts(shop: Client) -> None:
    """Two parsers of a body agree: the whole service uses the last value, whatever preceded it."""
    body = b'{"product_code":"B-1","product_code":"B-2","description":"x","description":"y"}'
    data = (await (await shop.post("/api/products", data=body, headers=JSON)).json())["data"]
    assert (data["product_code"], data["description"]) == ("B-2", "y")


@pytest.mark.parametrize("key", ["", "x" * 256, "sch\u00fctz", "a\x01b", "\x00"])
async def test_a_hostile_idempotency_key_is_named(shop: Client, problems: Any, key: str) -> None:
    """A key of other characters, or too long, is refused, and nothing is counted."""
    reply = await problems(await shop.post("/api/inventory/1/adjust", json={"delta": 1, "idempotency_key": key}))
    assert set(reply) == {"idempotency_key"}
    assert (await (await shop.get("/api/inventory?product_id=1")).json())["data"][0]["current_level"] == 5


NAMES = (
    b"../../x.xlsx",
    b"/etc/passwd",
    b"..\\..\\x.xlsx",
    b"C:\\x.xlsx",
    b"x\x00.xlsx",
    b"CON",
    b"a" * 7000,
    b"\xff\xfe.xlsx",
    b"%2e%2e%2fx.xlsx",
    b"<script>.xlsx",
    b"",
)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.usefixtures("folder")
async def test_the_name_of_an_upload_is_no_one_s_path(
    client: Client, workbook: Callable[..., bytes], tmp_path: Any, name: bytes
) -> None:
    """Whatever the client calls its file, nothing of that name is written, shown or left; the content decides."""
    file = part("file", workbook(), filename="NAME").replace(b"NAME", name.replace(b"\\", b"\\\\"), 1)
    response = await client.post("/api/products/import", data=form(file), headers=MULTIPART)
    text = await response.text()
    assert response.status in (200, 400), text
    assert response.status == 200 or (await response.json())["code"] == "VALIDATION_ERROR"
    assert not name or name.decode("latin-1") not in text
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith("test.db")} == {"temporary"}


@pytest.mark.parametrize(
    "path", ["/api/products/export", "/api/inventory/export?format=csv", "/api/products/import/template"]
)
async def test_the_name_of_a_file_to_save_is_the_service_s_own(client: Client, path: str) -> None:
    """It is plain ASCII of letters, digits, dots and hyphens, in quotes, whatever the request contains."""
    response = await client.get(path, headers={"Content-Disposition": "attachment; filename=evil.exe"})
    kind, _, name = response.headers["Content-Disposition"].partition("; filename=")
    assert kind == "attachment"
    assert name.replace("-", "").replace(".", "").strip('"').isalnum()
    assert name == f'"{name[1:-1]}"'
