"""The measured server: the whole service and, in the same event loop, a bare aiohttp application.

It prints three ports: the service's with its default settings, but a rate limit that no load reaches; the bare
application's; and that of the service without a limit. The bare one responds to `POST /api/codes/barcode` and
`/api/codes/qrcode` with exactly the bytes of the service's response to the same repeated request. `GET /renders`
returns the number of codes rendered since the start, which tells a cache hit from a miss.
"""

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock

import uvloop
from aiohttp import ClientSession, web
from aiohttp.typedefs import Handler

from barcodesvc.__main__ import shorten_waits
from barcodesvc.app import make_app
from barcodesvc.codes.rendering import BarcodeKey, QrKey, Rendering
from barcodesvc.config import Rate, Settings
from scripts.benchmarks.codes.requests import BARCODE, QR
from scripts.benchmarks.servers import LOOPBACK, listen

MODULE = "scripts.benchmarks.codes.service"
REPEATED: Mapping[str, bytes] = {
    BARCODE: b'{"product_code":"4006381333931","format":"CODE128"}',
    QR: b'{"product_code":"4006381333931"}',
}


class RenderCount:
    """How many codes were rendered, by whatever route; counts in every thread."""

    def __init__(self) -> None:
        self.value = 0
        self._lock = Lock()
        for key in (BarcodeKey, QrKey):
            key.render = self._counting(key.render)  # type: ignore[method-assign]  # the narrowest place to count at

    def _counting(self, render: Callable[..., Rendering]) -> Callable[..., Rendering]:
        def counted(key: BarcodeKey | QrKey) -> Rendering:
            with self._lock:
                self.value += 1
            return render(key)

        return counted


async def serve(folder: Path) -> None:
    """Serve until the process is stopped."""
    renders = RenderCount()
    port = await listen(make_app(Settings(database=folder / "bench.db", rate_limit=Rate(1_000_000_000, 900))))
    unlimited = await listen(make_app(Settings(database=folder / "unlimited.db", rate_limit=None)))
    shorten_waits()
    bare = web.Application()
    async with ClientSession(f"http://{LOOPBACK}:{port}") as session:
        for path, body in REPEATED.items():
            async with session.post(path, data=body, headers={"Content-Type": "application/json"}) as response:
                bare.router.add_post(path, returning(await response.read()))

    async def rendered(_: web.Request) -> web.Response:
        return web.json_response(renders.value)

    bare.router.add_get("/renders", rendered)
    print(port, await listen(bare), unlimited, flush=True)
    await asyncio.Event().wait()


def returning(body: bytes) -> Handler:
    """Return a handler that only returns these bytes."""

    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json", charset="utf-8")

    return handler


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        uvloop.run(serve(Path(temporary)))
