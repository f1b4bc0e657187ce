"""The traffic of the soak: every kind of request, with the statuses that may answer it.

The catalogue never exceeds CODES, and an uncached code is one of millions, so growth does not come from the traffic.
Rule: a request under way at shutdown is answered, or it was never begun.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from typing import Any

from aiohttp import ClientConnectionError, ClientPayloadError, ClientSession, ClientTimeout, TCPConnector
from PIL import Image

from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.symbols.registry import find_symbology
from scripts.benchmarks.load import get, post
from scripts.benchmarks.servers import LOOPBACK
from tests.forms import form_data
from tests.workbooks import xlsx

CODES = 400
WORKERS = 8
_REMEMBERED = 4500
"""Bodies, a few more than the service caches."""
_ROWS, _LARGE_ROWS = 50, 4000
"""Rows of a workbook; a large one is read in a separate process."""
_SIDE, _LARGE_SIDE = 400, 1300
"""Pixels of the side of an image, likewise."""

Act = Callable[["Traffic", random.Random], Awaitable[None]]


@dataclass
class Traffic:
    """Sends requests to a port, as long as `is_on` and while it is `connected`, and counts the results."""

    port: int
    is_on: bool = True
    is_ending: bool = False
    answered: int = 0
    unexpected: Counter[str] = field(default_factory=Counter)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Have connections to the service inside the block, and none outside."""
        timeout = ClientTimeout(total=120)
        async with ClientSession(connector=TCPConnector(limit=0), timeout=timeout) as self._session:
            yield

    async def run(self, seconds: float) -> None:
        """Keep WORKERS clients busy for this long."""
        deadline = asyncio.get_running_loop().time() + seconds
        await asyncio.gather(*(self._work(random.Random(number), deadline) for number in range(WORKERS)))  # noqa: S311 - no secret

    async def each_once(self) -> None:
        """Do each kind of request once, one after the other."""
        source = random.Random(0)  # noqa: S311 - no secret
        for act, _ in ACTS:
            await act(self, source)

    async def fill_memories(self) -> None:
        """Send as many different small requests as the service caches, so that these caches grow no further."""
        different = iter(range(_REMEMBERED))

        async def send() -> None:
            for number in different:
                await self.ask("POST", "/api/codes/barcode", json={"product_code": f"M-{number}"})
                await self.ask("POST", "/api/codes/decode", 404, json={"code_data": f"M-{number}"})

        await asyncio.gather(*(send() for _ in range(WORKERS)))

    async def _work(self, source: random.Random, deadline: float) -> None:
        acts, weights = zip(*ACTS, strict=True)
        while self.is_on and asyncio.get_running_loop().time() < deadline:
            (act,) = source.choices(acts, weights)
            await act(self, source)

    async def ask(self, method: str, path: str, *statuses: int, **options: Any) -> bytes:
        """Send a request and read its response, which must have one of the statuses."""
        try:
            async with self._session.request(method, f"http://{LOOPBACK}:{self.port}{path}", **options) as response:
                body = await response.read()
        except ClientPayloadError:
            self.unexpected[f"{method} {path}: a response was cut short"] += 1
        except (ClientConnectionError, TimeoutError) as error:
            if not self.is_ending:
                self.unexpected[f"{method} {path}: {type(error).__name__}"] += 1
            self.is_on = False
        else:
            self.answered += 1
            ending = (503,) if self.is_ending else ()
            if response.status not in (statuses or (200,)) + ending:
                self.unexpected[f"{method} {path.partition('?')[0]}: {response.status} {body[:200]!r}"] += 1
            return body
        return b""


@cache
def _workbook(rows: int) -> bytes:
    return xlsx([("SKU", "Name", "Qty"), *((_code(number % CODES), "Red pen " * 20, number) for number in range(rows))])


@cache
def _image(side: int) -> bytes:
    key = BarcodeKey(find_symbology("CODE128"), _code(1), ModuleWidth(2), 80, with_text=False)
    paper, file = Image.new("L", (side, side), 235), BytesIO()
    paper.paste(Image.open(BytesIO(key.render().png)), (20, 20))
    paper.save(file, "PNG")
    return file.getvalue()


def _code(number: int) -> str:
    return f"SOAK-{number:04}"


def _any_code(source: random.Random) -> str:
    return _code(source.randrange(CODES))


def _any_id(source: random.Random) -> int:
    return source.randrange(1, CODES)


async def _create(traffic: Traffic, source: random.Random) -> None:
    body = {"product_code": _any_code(source), "description": "Blue pen", "initial_level": 5, "category": "Pens"}
    await traffic.ask("POST", "/api/products", 201, 409, json=body)


async def _read(traffic: Traffic, source: random.Random) -> None:
    await traffic.ask("GET", f"/api/products/{_any_id(source)}", 200, 404)
    await traffic.ask("GET", f"/api/products?search={source.randrange(100)}&limit=20")
    await traffic.ask("GET", f"/api/inventory/{_any_id(source)}/history?limit=20", 200, 404)
    await traffic.ask("GET", "/api/inventory")
    await traffic.ask("GET", "/api/inventory/changes?limit=20")
    await traffic.ask("GET", "/api/products?include_levels=true&limit=20")
    await traffic.ask("GET", "/health")


async def _change(traffic: Traffic, source: random.Random) -> None:
    await traffic.ask("PUT", f"/api/products/{_any_id(source)}", 200, 404, json={"description": "Red pen"})
    await traffic.ask("PUT", f"/api/inventory/{_any_id(source)}", 200, 404, json={"new_level": source.randrange(99)})
    await traffic.ask("POST", f"/api/inventory/{_any_id(source)}/adjust", 200, 404, json={"delta": 1})
    scan = {"code_data": _any_code(source), "delta": 1}
    await traffic.ask("POST", "/api/codes/scan", 200, 404, json=scan)
    keyed = {"idempotency_key": f"soak-{source.randrange(10**9)}"}
    await traffic.ask("POST", "/api/codes/scans", json={"scans": [{**scan, **keyed}, {**scan, **keyed}, scan] * 5})
    await traffic.ask("POST", f"/api/inventory/changes/{_any_id(source)}/undo", 200, 404, 409, json={})


async def _delete(traffic: Traffic, source: random.Random) -> None:
    await traffic.ask("DELETE", f"/api/products/{_any_id(source)}", 200, 404)


async def _cached_codes(traffic: Traffic, source: random.Random) -> None:
    for _ in range(10):
        await traffic.ask("POST", "/api/codes/barcode", json={"product_code": _code(source.randrange(20))})


async def _codes(traffic: Traffic, source: random.Random) -> None:
    number = source.randrange(10**9)
    await traffic.ask("POST", "/api/codes/barcode", json={"product_code": f"U-{number}"})
    await traffic.ask("POST", "/api/codes/qrcode", json={"product_code": f"U-{number}"})
    await traffic.ask("GET", f"/api/codes/barcode/V-{number}.png")
    batch = {"requests": [{"kind": "qrcode", "product_code": f"W-{number}-{place}"} for place in range(10)]}
    await traffic.ask("POST", "/api/codes/batch", json=batch)


async def _labels(traffic: Traffic, source: random.Random) -> None:
    products = [f"L-{source.randrange(10**6)}" for _ in range(source.choice((5, 300)))]
    await traffic.ask("POST", "/api/codes/printable", json={"products": products})


async def _scans(traffic: Traffic, source: random.Random) -> None:
    for _ in range(5):
        await traffic.ask("POST", "/api/codes/decode", 200, 404, json={"code_data": _any_code(source)})


async def _images(traffic: Traffic, source: random.Random) -> None:
    content = _image(_LARGE_SIDE if source.random() < _SELDOM else _SIDE)
    await traffic.ask("POST", "/api/codes/decode", 200, 404, data=form_data(content, "image"))


async def _imports(traffic: Traffic, source: random.Random) -> None:
    content = _workbook(_LARGE_ROWS if source.random() < _SELDOM else _ROWS)
    query = source.choice(("mode=update", "dry_run=true", "mode=skip"))
    await _imported(traffic, content, query, **source.choice(({}, {"Accept": "text/event-stream"})))


async def _imported(traffic: Traffic, content: bytes, query: str, **headers: str) -> bytes:
    path, form = f"/api/products/import?{query}", form_data(content)
    return await traffic.ask("POST", path, 200, 429, data=form, headers=headers)


async def _exports(traffic: Traffic, source: random.Random) -> None:
    table, form = source.choice(("inventory", "products")), source.choice(("csv", "xlsx"))
    await traffic.ask("GET", f"/api/{table}/export?format={form}")
    await traffic.ask("GET", "/api/products/import/template")


async def _refusals(traffic: Traffic, source: random.Random) -> None:
    await traffic.ask("POST", "/api/products", 400, json={"product_code": ""})
    await traffic.ask("POST", "/api/products", 400, data=b"\xff{", headers={"Content-Type": "application/json"})
    await traffic.ask("GET", f"/api/nothing/{source.random()}", 404)
    await traffic.ask("PATCH", "/api/products", 405)
    await traffic.ask("POST", "/api/products/import", 400, 429, data=b"x" * 1000)
    await traffic.ask("POST", "/api/codes/barcode", 400, json={"product_code": "x", "format": "EAN13"})


async def _leave(traffic: Traffic, source: random.Random) -> None:
    """Send a request, or half of one, and disconnect."""
    labels = b'{"products":[' + b'"A-1",' * 500 + b'"A-1"]}'
    requests = (
        post("/api/codes/printable", labels),
        get("/api/inventory/export?format=xlsx"),
        get("/api/inventory"),
        post("/api/products", b'{"product_code":"A-1"}')[:-9],
    )
    try:
        _, writer = await asyncio.open_connection(LOOPBACK, traffic.port)
    except OSError:
        traffic.is_on = traffic.is_on and not traffic.is_ending
        return
    writer.write(source.choice(requests))
    await asyncio.sleep(source.choice((0, 0.01, 0.1)))
    writer.close()


_SELDOM = 0.05


async def slow_requests(traffic: Traffic) -> list[bytes]:
    """Send requests that take long, all at once, and return their responses; an unanswered one is empty."""
    labels = {"products": [f"L-{number}" for number in range(1000)]}
    return await asyncio.gather(
        *(traffic.ask("POST", "/api/codes/printable", json=labels) for _ in range(4)),
        *(traffic.ask("GET", f"/api/inventory/export?format={form}") for form in ("xlsx", "csv") * 3),
        *(_imported(traffic, _workbook(_LARGE_ROWS), "mode=update") for _ in range(2)),
    )


ACTS: tuple[tuple[Act, float], ...] = (
    (_create, 8),
    (_read, 4),
    (_change, 8),
    (_delete, 1),
    (_cached_codes, 10),
    (_codes, 8),
    (_labels, 1),
    (_scans, 10),
    (_images, 1),
    (_imports, 1),
    (_exports, 1),
    (_refusals, 2),
    (_leave, 2),
)
"""Each kind of request, and its share of the traffic."""
