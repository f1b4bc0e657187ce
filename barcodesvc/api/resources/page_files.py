"""The files of the browser's page, read and compressed once at the start: what is asked for is handed out as it lies.

Cache busting: the folder has one hash, over all names and contents, and every asset has that hash in its address. So an
address means the same bytes for ever, and a page never gets a script or a style of another release. The shell
(`index.html`) and the service worker, whose addresses stay, name it: `{assets}` becomes the folder's address there, and
`{files}` the addresses of all assets as JSON.

Rule: only what was found at the start is served; no path from a client reaches the folder.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from aiohttp import web
from pydantic_core import to_json

from barcodesvc.api.responses import strong_etag
from barcodesvc.errors import StartError

SHELL = "index.html"
SERVICE_WORKER = "service-worker.js"
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
"""What belongs to the page, by ending; all else in the folder, such as what an editor leaves there, does not."""
MOST_BYTES = 2 * 2**20
"""Bytes of all files together, which stay in memory."""
_HASH_BYTES = 8
_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Encoded:
    """The bytes of a file in one encoding, with their strong ETag."""

    body: bytes
    tag: str


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file as it is answered; `gzipped` is None where that is no shorter."""

    content_type: str
    plain: Encoded
    gzipped: Encoded | None


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The whole page; `assets` has each file beside the shell and the service worker under its address."""

    shell: PageFile
    service_worker: PageFile
    assets: Mapping[str, PageFile]


PAGE = web.AppKey("page", PageFiles)


@cache
def load_page(folder: Path) -> PageFiles:
    """Return the page in a folder, which is read once in the life of the process.

    Raises StartError for a folder without a shell or a service worker, or with more than MOST_BYTES.
    """
    contents = dict(_contents(folder))
    if missing := {SHELL, SERVICE_WORKER} - contents.keys():
        raise StartError(f"the page lacks {' and '.join(sorted(missing))} in {folder}; install the service again")
    if sum(map(len, contents.values())) > MOST_BYTES:
        raise StartError(f"the files of the page in {folder} have more than {MOST_BYTES} bytes together")
    base = f"/page/{_hash_of(contents)}"
    named = {name: _filled(contents.pop(name), base, sorted(contents)) for name in (SERVICE_WORKER, SHELL)}
    files = {name: _page_file(name, content) for name, content in {**named, **contents}.items()}
    shell, service_worker = files.pop(SHELL), files.pop(SERVICE_WORKER)
    return PageFiles(shell, service_worker, {f"{base}/{name}": file for name, file in files.items()})


def _contents(folder: Path) -> Iterable[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in CONTENT_TYPES and path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _hash_of(contents: Mapping[str, bytes]) -> str:
    """Return the hash of names and contents, each with its length, so that nothing moves from one to the next."""
    hashed = blake2b(digest_size=_HASH_BYTES)
    for name, content in contents.items():
        hashed.update(f"{name}\n{len(content)}\n".encode() + content)
    return hashed.hexdigest()


def _filled(content: bytes, base: str, names: Iterable[str]) -> bytes:
    """Return a file in which the address of the folder, and those of the assets with these names, are filled in."""
    addresses = to_json([f"{base}/{name}" for name in names if name not in (SHELL, SERVICE_WORKER)])
    return content.replace(b"{assets}", base.encode()).replace(b"{files}", addresses)


def _page_file(name: str, content: bytes) -> PageFile:
    gzipped = gzip.compress(content, _LEVEL, mtime=0)
    shorter = Encoded(gzipped, strong_etag(gzipped)) if len(gzipped) < len(content) else None
    return PageFile(CONTENT_TYPES[PurePosixPath(name).suffix], Encoded(content, strong_etag(content)), shorter)
