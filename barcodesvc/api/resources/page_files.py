"""The files of the web app, read and compressed once at startup, and served from memory.

Cache busting: the folder has one hash, of all names and contents, and the URL of every asset contains it. So the
content of a URL never changes, and the web app never gets a script or style of another release. The shell
(`index.html`) and the service workers, whose URLs are fixed, contain it: `{assets}` is replaced by the folder's URL,
`{files}` by the URLs of all assets as JSON, `{languages}` by the languages in its `languages/`, `{limits}` by the
limits of the service, and `{version}` by its version. The watchdog's URL is fixed too: it reports assets that do not
load.

Whole lines of comments are left out of our scripts, of whose compressed bytes they are a third, and of our styles.
ESLint forbids lines of templates that look like them (`tests/page/eslint.config.js`).

Rule: only files found at startup are served; no path from a client reaches the folder. If files are missing, nothing is
served but the reason: half a web app would fail without a message.
"""

import gzip
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from html import escape
from pathlib import Path, PurePosixPath

from aiohttp import web
from pydantic_core import to_json

from barcodesvc.api.resources.page_limits import PAGE_LIMITS
from barcodesvc.config import VERSION
from barcodesvc.errors import StartError

PAGE_FOLDER = Path(__file__).parents[2] / "page"
SHELL = "index.html"
SERVICE_WORKER = "service-worker.js"
SENDING_WORKER = "sending-worker.js"
WATCHDOG = "watchdog.js"
_FIXED = (SHELL, SERVICE_WORKER, SENDING_WORKER, WATCHDOG)
"""Files with fixed URLs."""
CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}
"""Content types by file extension; other files in the folder, such as an editor's, are ignored."""
_GZIPPED = ".gz"
"""The extension, after another one, of a file that is compressed already: large ones take long to compress."""
_LIBRARY = "library/"
"""The scripts of other projects, which `scripts/page_packages.py` fetches."""
_NEEDED = (*_FIXED, f"{_LIBRARY}LICENSES.txt")
"""The file of the library that is written last."""
MOST_BYTES = 2 * 2**20
"""The limit on the bytes of all files together, which stay in memory."""
_HASH_BYTES = 8
_COMMENT_LINES = re.compile(rb"^[ \t]*(?://[^\n]*|(?>/\*.*?\*/)[ \t]*)\n", re.MULTILINE | re.DOTALL)
_LEVEL = 9
_LIMITS = escape(to_json(dict(PAGE_LIMITS)).decode()).encode()


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file in the form in which it is served; `gzipped` is None if it is no shorter.

    Memory holds one form of it: the rare client that does not accept gzip has its file decompressed.
    """

    content_type: str
    body: bytes
    """The plain file if `gzipped` is None, else empty."""
    gzipped: bytes | None

    def plain(self) -> bytes:
        """Return the file without compression."""
        return gzip.decompress(self.gzipped) if self.gzipped else self.body


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The whole web app: the files with fixed URLs by name, and the assets by URL; or nothing, and what is missing."""

    fixed: Mapping[str, PageFile]
    assets: Mapping[str, PageFile]
    problem: str = ""


PAGE = web.AppKey("page", PageFiles)


@cache
def load_page(folder: Path) -> PageFiles:
    """Return the web app in a folder, which the process reads only once.

    Raises StartError for a folder with more than MOST_BYTES.
    """
    gzipped = _gzipped(folder)
    contents = {**_contents(folder), **gzipped}
    if missing := set(_NEEDED) - contents.keys():
        lacks = f"the web app lacks {' and '.join(sorted(missing))} in {folder}"
        return PageFiles({}, {}, f"{lacks}; run scripts/setup, or install the service again")
    if sum(map(len, contents.values())) > MOST_BYTES:
        raise StartError(f"the files of the web app in {folder} have more than {MOST_BYTES} bytes in total")
    base = f"/page/{_hash_of(contents)}"
    named = {name: _filled(contents.pop(name), base, sorted(contents)) for name in _FIXED}
    files = {name: _page_file(name, content, gzipped.get(name)) for name, content in {**named, **contents}.items()}
    fixed = {name: files.pop(name) for name in _FIXED}
    return PageFiles(fixed, {f"{base}/{name}": file for name, file in files.items()})


def _contents(folder: Path) -> dict[str, bytes]:
    paths = sorted(folder.rglob("*"))
    found = {_name(path, folder): path for path in paths if path.suffix in CONTENT_TYPES and path.is_file()}
    return {name: _without_comments(name, path.read_bytes()) for name, path in found.items()}


def _without_comments(name: str, content: bytes) -> bytes:
    """Return a script or style of ours without the lines that are comments alone; any other file as it is."""
    is_ours = name.endswith((".js", ".css")) and not name.startswith(_LIBRARY)
    return _COMMENT_LINES.sub(b"", content) if is_ours else content


def _gzipped(folder: Path) -> dict[str, bytes]:
    """Return the files that are compressed already, by their names without the second extension."""
    paths = sorted(folder.rglob(f"*{_GZIPPED}"))
    named = {_name(path.with_suffix(""), folder): path for path in paths if path.is_file()}
    return {name: path.read_bytes() for name, path in named.items() if PurePosixPath(name).suffix in CONTENT_TYPES}


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _hash_of(contents: Mapping[str, bytes]) -> str:
    """Return the hash of names and contents, with the length of each, so that their borders are unambiguous."""
    hashed = blake2b(digest_size=_HASH_BYTES)
    for name, content in contents.items():
        hashed.update(f"{name}\n{len(content)}\n".encode() + content)
    return hashed.hexdigest()


def _filled(content: bytes, base: str, names: Sequence[str]) -> bytes:
    """Return a file with the folder's URL, those of the assets with these names, and all else filled in."""
    languages = " ".join(PurePosixPath(name).stem for name in names if name.startswith("languages/"))
    addresses = to_json([f"{base}/{name}" for name in names if name not in _FIXED])
    filled = content.replace(b"{assets}", base.encode()).replace(b"{files}", addresses)
    filled = filled.replace(b"{languages}", languages.encode()).replace(b"{limits}", _LIMITS)
    return filled.replace(b"{version}", VERSION.encode())


def _page_file(name: str, content: bytes, gzipped: bytes | None) -> PageFile:
    """Return a file; one that is compressed already is not decompressed: at a start that takes memory."""
    kind = CONTENT_TYPES[PurePosixPath(name).suffix]
    gzipped = gzipped or gzip.compress(content, _LEVEL, mtime=0)
    return PageFile(kind, content, None) if len(gzipped) > len(content) else PageFile(kind, b"", gzipped)
