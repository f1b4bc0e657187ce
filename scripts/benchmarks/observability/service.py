"""The measured service, three times in one event loop: with neither, with metrics, with metrics and access log.

    python -m scripts.benchmarks.observability.service

It prints the three ports in this order. From then on standard output, and with it the access log, is a temporary file.
"""

import asyncio
import os
import tempfile
from pathlib import Path
from typing import Any

import uvloop

from barcodesvc.__main__ import shorten_waits
from barcodesvc.api.observe.access_log import STANDARD_OUTPUT
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from scripts.benchmarks.codes.requests import BARCODE
from scripts.benchmarks.load import post
from scripts.benchmarks.servers import listen

MODULE = "scripts.benchmarks.observability.service"
REQUEST = post(BARCODE, b'{"product_code":"4006381333931","format":"CODE128"}')
"""A code that is requested again and again."""
VARIANTS: tuple[dict[str, Any], ...] = (
    {"metrics": False, "access_log": False},
    {"metrics": True, "access_log": False},
    {"metrics": True, "access_log": True},
)


async def serve(folder: Path) -> None:
    """Serve until the process is stopped."""
    ports = []
    for number, variant in enumerate(VARIANTS):
        database = folder / f"{number}.db"
        ports.append(
            await listen(make_app(Settings(database=database, rate_limit=None, upload_rate_limit=None, **variant)))
        )
    shorten_waits()
    print(*ports, flush=True)
    with (folder / "access.log").open("wb") as log:
        os.dup2(log.fileno(), STANDARD_OUTPUT)
    await asyncio.Event().wait()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        uvloop.run(serve(Path(temporary)))
