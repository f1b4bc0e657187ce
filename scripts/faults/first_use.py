"""What a user does first with a new service: opens the web app, and prints a label that scans.

curl sends the requests, so that a service in a container is reached as its users reach it.
"""

import json
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

import zxingcpp
from PIL import Image

from scripts.benchmarks.report import Figure, at_least, at_most

CODE = "4006381333931"
START_WAIT = 60.0
"""Seconds for a service whose packages are installed."""
INSTALL_WAIT = 600.0
"""Seconds for a start that installs its packages first."""
_LINK = re.compile(r'(?:href|src)="([^"]+)"')
_IMPORT = re.compile(r'(?:from|import)\s*\(?\s*"(\.[^"]+\.js)"')
_LEAST_FILES = 20
"""The page has more files than this; fewer mean that its links were not understood."""


@dataclass(frozen=True)
class Visitor:
    """A client of the service at `origin`; `prefix` are words before curl."""

    origin: str
    key: str = ""
    prefix: tuple[str, ...] = ()

    def get(self, path: str) -> bytes | None:
        """Return the body of a 2xx response, None without one."""
        return self._curl(path)

    def post(self, path: str, body: object) -> bytes | None:
        """Send JSON with the key; return the body of a 2xx response, None without one."""
        return self._curl(path, "--header", f"X-API-Key: {self.key}", "--json", json.dumps(body))

    def waits(self, seconds: float = START_WAIT) -> bool:
        """Wait at most this long until the service is healthy, and return whether it is."""
        end = time.monotonic() + seconds
        while self.get("/health") is None:
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        return True

    def _curl(self, path: str, *words: str) -> bytes | None:
        command = (*self.prefix, "curl", "--silent", "--fail", "--max-time", "20", *words)
        done = subprocess.run([*command, self.origin + path], capture_output=True, check=False)  # noqa: S603 - curl
        return done.stdout if done.returncode == 0 else None


def first_use(visitor: Visitor, wait: float = START_WAIT) -> Iterator[Figure]:
    """Yield whether the page with all of its files answers, and whether a printed label scans."""
    yield Figure("the service is healthy", visitor.waits(wait), "", at_least(1), visitor.origin)
    missing, answered = _page(visitor)
    yield Figure("files of the page that answer", answered, "", at_least(_LEAST_FILES))
    yield Figure("files of the page that do not", len(missing), "", at_most(0), " ".join(missing))
    read = _label(visitor)
    yield Figure("codes read from a printed label", CODE in read, "", at_least(1), " ".join(read))


def _page(visitor: Visitor) -> tuple[list[str], int]:
    """Return the files of the page that do not answer, and the number of those that do."""
    waiting, seen, missing = ["/"], {"/"}, []
    while waiting:
        path = waiting.pop()
        body = visitor.get(path)
        if body is None:
            missing.append(path)
            continue
        pattern = _IMPORT if path.endswith(".js") else _LINK if path == "/" else None
        named = pattern.findall(body.decode()) if pattern else []
        found = {urljoin(path, name) for name in named} - seen
        seen |= found
        waiting += found
    return missing, len(seen) - len(missing)


def _label(visitor: Visitor) -> list[str]:
    """Create a product, print a sheet with a label of it, draw the sheet and return what a decoder reads."""
    visitor.post("/api/products", {"product_code": CODE, "description": "Highlighter"})
    sheet = visitor.post("/api/codes/printable", {"products": [{"code": CODE}]})
    if sheet is None:
        return []
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "sheet.pdf"
        path.write_bytes(sheet)
        subprocess.run(["pdftoppm", "-r", "200", "-png", "-singlefile", path, path.with_suffix("")], check=True)  # noqa: S603, S607 - poppler
        with Image.open(path.with_suffix(".png")) as page:
            return [code.text for code in zxingcpp.read_barcodes(page)]
