"""Whatever a client chooses the number of has a limit."""

import json

from barcodesvc.api.connections import MOST_HEAD_BYTES
from barcodesvc.api.forms import FRAMING
from barcodesvc.api.resources.list_parameters import LARGEST_PAGE_SIZE
from barcodesvc.api.resources.movements import LARGEST_HISTORY_SIZE
from barcodesvc.errors import MOST_PROBLEMS
from tests.api.sockets import HEALTH, raw
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client
from tests.forms import KIND
from tests.sweeps import sweep

LINES_OF_A_HEAD, BYTES_OF_A_LINE, LETTERS_OF_A_SEARCH, SCANS_OF_A_BATCH = 128, 8190, 500, 500


def get(path: str, head: bytes = b"") -> bytes:
    """Return a request whose connection ends with its response."""
    return b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n" % (path.encode(), head)


def post(path: str, body: bytes, head: bytes = JSON_HEAD) -> bytes:
    """Return a request with a body, whose connection ends with its response."""
    end = b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    return b"POST %s HTTP/1.1\r\n%s%s%s" % (path.encode(), head, end, body)


def form(body: bytes) -> bytes:
    """Return an upload."""
    return post("/api/products/import", body, f"Host: x\r\nContent-Type: {KIND}\r\n".encode())


PART = b'--XX\r\nContent-Disposition: form-data; name="x%d"\r\n\r\n\r\n'
SCANS = {"scans": [{"code_data": "A-1"}] * (SCANS_OF_A_BATCH + 1)}
CHUNKED = b"POST /api/products HTTP/1.1\r\n" + JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

BEYOND = {
    "lines of a head": (get("/health", b"A:\r\n" * (LINES_OF_A_HEAD - 1)), 400),
    "bytes of a head": (get("/health", b"A: %s\r\n" % (b"a" * 4000) * (MOST_HEAD_BYTES // 4000 + 1)), 400),
    "bytes of an address": (get("/health?" + "a&" * (BYTES_OF_A_LINE // 2)), 400),
    "segments of a path": (get("/a" * 300), 404),
    "bytes of a cookie or another header": (get("/health", b"Cookie: %s\r\n" % (b"a=1;" * BYTES_OF_A_LINE)), 400),
    "requests of a pipeline": (HEALTH * 500 + get("/health"), 200),
    "chunks of a JSON body": (CHUNKED + b"1\r\n \r\n" * (64 * 1024 + 1), 400),
    "fields of a JSON object": (post("/api/products", json.dumps(dict.fromkeys(map(str, range(5000)))).encode()), 400),
    "nesting of a JSON body": (post("/api/products", b"[" * 5000), 400),
    "parts of a form": (form(b"".join(PART % part for part in range(MOST_PROBLEMS + 1)) + b"--XX--\r\n"), 400),
    "bytes of a form outside its parts": (form(b"\r\n" * FRAMING), 400),
    "letters of a search": (get("/api/products?search=" + "a" * (LETTERS_OF_A_SEARCH + 1)), 400),
    "entries of a page": (get(f"/api/products?limit={LARGEST_PAGE_SIZE + 1}"), 400),
    "entries of a history": (get(f"/api/inventory/1/history?limit={LARGEST_HISTORY_SIZE + 1}"), 400),
    "scans of a batch": (post("/api/codes/scans", json.dumps(SCANS).encode()), 400),
}


@sweep(("sent", "status"), BEYOND.values())
async def test_what_is_beyond_a_bound_is_answered(client: Client, sent: bytes, status: int) -> None:
    """It is refused at once; a pipeline gets responses up to the limit, in turns."""
    assert int((await raw(client, sent, b"\r\n")).split()[1]) == status
    assert (await client.get("/health")).status == 200
