"""The page and its files: addresses, caching, compression, policies, and who gets it."""

import gzip
import itertools
import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from pydantic_core import to_json
from yarl import URL

from barcodesvc.api.resources import page_files
from barcodesvc.api.resources.page_files import PageFiles, load_page
from barcodesvc.api.resources.page_limits import PAGE_LIMITS
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from barcodesvc.errors import StartError
from tests.api.replies import refused
from tests.conftest import StandingClock
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'; "
    "connect-src 'self'; img-src 'self' blob:; media-src 'self' blob:; frame-src blob:; manifest-src 'self'; "
    "worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types service-worker"
)
FIXED = ("service-worker.js", "sending-worker.js", "watchdog.js")
PICTURE = bytes(range(256))
BINARY = b"\0asm" * 50
FILES = {
    "index.html": b'<!doctype html><html data-limits="{limits}"><title>{assets}</title>' + b"<p>shop</p>" * 50,
    "service-worker.js": b"JSON.parse('{files}');",
    "sending-worker.js": b"import '{assets}/script/main.js';",
    "watchdog.js": b"setTimeout(() => {}, 1);",
    "reading-worker.js": b"export {}" * 50,
    "library/zxing/zxing_reader.wasm.gz": gzip.compress(BINARY),
    "library/LICENSES.txt": b"MIT " * 50,
    "style/main.css": b"p { margin: 0 }\n" * 50,
    "script/main.js": b"export const shop = 1;\n" * 50,
    "languages/de.js": b"export default {};\n" * 50,
    "manifest.webmanifest": b'{"name": "barcodesvc"}' * 50,
    "icons/icon.svg": b"<svg></svg>" * 50,
    "icons/icon.png": PICTURE,
}
TYPES = {
    "reading-worker.js": "text/javascript; charset=utf-8",
    "library/zxing/zxing_reader.wasm": "application/wasm",
    "library/LICENSES.txt": "text/plain; charset=utf-8",
    "style/main.css": "text/css; charset=utf-8",
    "script/main.js": "text/javascript; charset=utf-8",
    "languages/de.js": "text/javascript; charset=utf-8",
    "manifest.webmanifest": "application/manifest+json",
    "icons/icon.svg": "image/svg+xml",
    "icons/icon.png": "image/png",
}
GZIP = {"Accept-Encoding": "gzip"}
PLAIN = {"Accept-Encoding": "identity"}


def _written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


Load = Callable[..., PageFiles]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a small page."""
    return _written(tmp_path / "page", FILES)


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that writes the files, with changes, into a new folder and loads it as the page."""
    numbers = itertools.count()

    def write(**changes: bytes) -> PageFiles:
        changed = {name.replace("__", "/"): content for name, content in changes.items()}
        return load_page(_written(tmp_path / str(next(numbers)), FILES | changed))

    return write


@pytest.fixture
async def client(
    aiohttp_client: ClientMaker, settings: Settings, standing_clock: StandingClock, folder: Path
) -> Client:
    """Return a client of a service with the small page, which does not decode bodies."""
    return await aiohttp_client(make_app(settings, standing_clock.clock(), folder), auto_decompress=False)


async def _base(client: Client) -> str:
    """Return the path of the folder, which the shell contains."""
    text = await (await client.get("/", headers=PLAIN)).text()
    found = re.search(r"<title>(/page/[0-9a-f]+)</title>", text)
    assert found
    return found[1]


async def test_the_address_of_the_service_is_the_page(client: Client) -> None:
    """Programs get it too; its fields accept exactly what the service does."""
    response = await client.get("/", headers=PLAIN | {"Accept": "application/json"})
    assert (response.status, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    text = await response.text()
    assert text.endswith("<p>shop</p>")
    [limits] = re.findall(r'data-limits="([^"]+)"', text)
    assert json.loads(unescape(limits)) == json.loads(to_json(dict(PAGE_LIMITS)))


async def test_the_shell_is_asked_for_again_and_may_load_nothing_foreign(client: Client) -> None:
    """The policy is exactly the intended one; other windows have no access to it, and the camera is its only device."""
    headers = (await client.get("/", headers={"Sec-Fetch-Mode": "navigate"})).headers
    assert headers["Cache-Control"] == "private, no-cache"
    assert headers["Content-Security-Policy"] == POLICY
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    permissions = dict(one.split("=") for one in headers["Permissions-Policy"].split(", "))
    assert permissions.pop("camera") == "(self)"
    assert set(permissions.values()) == {"()"}
    # over plain HTTP browsers cannot keep the window apart, and would log an error to the console of every device
    assert "Cross-Origin-Opener-Policy" not in (await client.get("/")).headers


async def test_scripts_that_no_document_loads_are_at_addresses_that_stay(client: Client) -> None:
    """They are asked for again; a worker is subject to the policy of its response, and knows every asset."""
    served = {name: await client.get(f"/{name}", headers=PLAIN) for name in FIXED}
    for name, response in served.items():
        assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-cache"
        assert name == "watchdog.js" or response.headers["Content-Security-Policy"] == POLICY
    base = await _base(client)
    assets = re.findall(r'"([^"]+)"', await served["service-worker.js"].text())
    assert {f"{base}/{name}" for name in TYPES} == set(assets)
    assert await served["sending-worker.js"].text() == f"import '{base}/script/main.js';"
    assert await served["watchdog.js"].read() == FILES["watchdog.js"]


@sweep(("name", "content_type"), TYPES.items())
async def test_an_asset_is_kept_forever(client: Client, name: str, content_type: str) -> None:
    """Each has its type, which must not be sniffed, and a URL whose content never changes.

    Scripts and styles are under the policies of the page that loads them; what is a document by itself has its own.
    """
    response = await client.get(f"{await _base(client)}/{name}", headers=PLAIN)
    assert (response.status, response.headers["Content-Type"]) == (200, content_type)
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "ETag" not in response.headers
    assert await response.read() == (BINARY if name.endswith(".wasm") else FILES[name])
    policies = (response.headers.get("Content-Security-Policy"), response.headers.get("Referrer-Policy"))
    if name.endswith("-worker.js"):
        assert policies == (POLICY, "no-referrer")
    elif name.endswith((".js", ".css")):
        assert policies == (None, None)
    else:
        assert policies == ("default-src 'none'; frame-ancestors 'none'", "no-referrer")


@pytest.mark.parametrize("name", ["", "service-worker.js", "style/main.css", "icons/icon.svg"])
async def test_text_comes_compressed_to_who_can_read_it(client: Client, name: str) -> None:
    """The same bytes in another encoding, with a separate tag where they are revalidated; both vary by encoding."""
    path = f"{await _base(client)}/{name}" if "/" in name else f"/{name}"
    packed, plain = await client.get(path, headers=GZIP), await client.get(path, headers=PLAIN)
    assert packed.headers.get("Content-Encoding") == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(await packed.read()) == await plain.read()
    assert "/" in name or packed.headers["ETag"] != plain.headers["ETag"]
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


async def test_what_is_compressed_already_is_sent_as_it_is(client: Client) -> None:
    """A picture, and a large file that is compressed on disk, because that takes long."""
    base = await _base(client)
    picture = await client.get(f"{base}/icons/icon.png", headers=GZIP)
    assert ("Content-Encoding" in picture.headers, await picture.read()) == (False, PICTURE)
    reader = await client.get(f"{base}/library/zxing/zxing_reader.wasm", headers=GZIP)
    assert reader.headers["Content-Encoding"] == "gzip"
    assert await reader.read() == FILES["library/zxing/zxing_reader.wasm.gz"]


async def test_the_api_works_while_the_page_lacks_files(
    aiohttp_client: ClientMaker, settings: Settings, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log at the start, and every path of the page, name the files that the installation lacks."""
    for name in ("index.html", "library/LICENSES.txt"):
        (folder / name).unlink()
    client = await aiohttp_client(make_app(settings, page_folder=folder))
    problem = f"the web app lacks index.html and library/LICENSES.txt in {folder}; run scripts/setup"
    assert problem in caplog.text
    for path in ("/", "/service-worker.js", "/page/0123/script/main.js"):
        assert problem in (await refused(await client.get(path), 404, "VALIDATION_ERROR"))["message"]
    assert (await client.get("/api/products")).status == 200


@pytest.mark.parametrize("encoding", [GZIP, PLAIN])
@pytest.mark.parametrize("path", ["/", "/service-worker.js"])
async def test_a_client_that_has_a_file_does_not_get_it_again(
    client: Client, path: str, encoding: dict[str, str]
) -> None:
    """The tag of the requested encoding gives a 304 with the headers that keep the client's copy valid."""
    had = await client.get(path, headers=encoding)
    again = await client.get(path, headers={**encoding, "If-None-Match": had.headers["ETag"]})
    assert (again.status, await again.read()) == (304, b"")
    for header in ("ETag", "Cache-Control", "Vary", "Content-Security-Policy"):
        assert again.headers[header] == had.headers[header]
    other = await client.get(path, headers={**encoding, "If-None-Match": '"other"'})
    assert other.status == 200


@sweep("name", ["", "service-worker.js", "script/main.js"])
async def test_head_says_what_get_would(client: Client, name: str) -> None:
    """The headers are the same, including the length, without the body."""
    path = f"{await _base(client)}/{name}" if "/" in name else f"/{name}"
    got, head = await client.get(path, headers=GZIP), await client.head(path, headers=GZIP)
    assert (head.status, await head.read()) == (200, b"")
    for header in ("Content-Type", "Content-Encoding", "Content-Length", "ETag", "Cache-Control", "Vary"):
        assert head.headers.get(header) == got.headers.get(header)


@sweep(
    "path",
    [
        *("/page/0123456789abcdef/script/main.js", "/page/", "/page", "/index.html", "{base}", "{base}/"),
        *("{base}/index.html", "{base}/service-worker.js", "{base}/script//main.js", "{base}/script/main.js/"),
        *("{base}/script%2Fmain.js%00", "{base}/..%2F..%2Fapp.py", "{base}/%2e%2e/%2e%2e/app.py"),
        "{base}/script%5Cmain.js",
    ],
)
async def test_nothing_else_is_there(client: Client, path: str) -> None:
    """A path with another hash, of no file, or outside of the folder is a 404 that is not cached."""
    response = await client.get(URL(path.format(base=await _base(client)), encoded=True))
    assert await refused(response, 404, "VALIDATION_ERROR")
    assert response.headers["Cache-Control"] == "no-store"


@sweep("method", ["POST", "PUT", "DELETE", "PATCH"])
@sweep("path", ["/", "/service-worker.js", "{base}/script/m%61in.js"])
async def test_the_page_is_read_alone(client: Client, method: str, path: str) -> None:
    """Only GET and HEAD are allowed; an address that a browser or proxy escapes is the same (RFC 3986, 6.2.2)."""
    address = URL(path.format(base=await _base(client)), encoded=True)
    assert (await client.head(address)).status == 200
    told = await refused(await client.request(method, address), 405, "VALIDATION_ERROR")
    assert told["details"] == {"reason": "method_not_allowed", "allowed": ["GET", "HEAD"]}


async def test_the_page_is_for_everyone(make_client: ClientMaker) -> None:
    """Without a limit, a key or a name: a link from another site opens it, and ten devices may share an address."""
    client = await make_client(rate_limit="1/minute", api_key="k" * 24, allowed_hosts="shop.example")
    headers = {"Host": "rebound.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    responses = [await client.get(path, headers=headers) for _ in range(3) for path in ("/", "/service-worker.js")]
    assert {response.status for response in responses} == {200}
    assert not any("RateLimit-Limit" in response.headers for response in responses)
    assert (await client.get("/api/products")).status == 401


async def test_pages_of_other_origins_do_not_read_it(make_client: ClientMaker) -> None:
    """An allowed origin may use the API; no other origin may embed or read the page itself."""
    client = await make_client(cors_origins=("https://shop.example",))
    headers = {"Origin": "https://shop.example"}
    assert "Access-Control-Allow-Origin" in (await client.get("/api/products", headers=headers)).headers
    response = await client.get("/", headers=headers)
    assert "Access-Control-Allow-Origin" not in response.headers
    assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"


async def test_metrics_count_the_page_by_its_routes(client: Client) -> None:
    """Each of its three routes is a series, whatever path or hash is requested."""
    for path in ("/", "/service-worker.js", f"{await _base(client)}/script/main.js", "/page/x/y", "/page/x/z"):
        await client.get(path)
    text = await (await client.get("/metrics", headers=PLAIN)).text()
    routes = set(re.findall(r'barcodesvc_requests_total\{[^}]*route="([^"]+)"', text))
    assert routes == {"/", "/service-worker.js", "/page/{hash}/{path}"}


@pytest.mark.parametrize(
    ("path", "accept", "kind"),
    [
        ("/nope", "text/html,application/xhtml+xml,*/*;q=0.8", "text/html"),
        ("/nope", "*/*", "application/json"),
        ("/nope", "text/html;q=0", "application/json"),
        ("/api/nope", "text/html", "application/json"),
    ],
)
async def test_a_browser_gets_a_way_back_where_there_is_nothing(
    client: Client, path: str, accept: str, kind: str
) -> None:
    """A program gets the error, and so does everyone below /api."""
    response = await client.get(path, headers={"Accept": accept})
    assert (response.status, response.content_type) == (404, kind)
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    links = (await response.text()).count('<a href="/">')
    assert links == (4 if kind == "text/html" else 0)


def _base_of(page: PageFiles) -> str:
    [base] = {"/".join(address.split("/")[:3]) for address in page.assets}
    return base


@sweep(
    "changes",
    [
        {"style__main.css": FILES["style/main.css"] + b"\n"},
        {"index.html": FILES["index.html"] + b"\n"},
        {"service-worker.js": FILES["service-worker.js"] + b"\n"},
        {"script__new.js": b""},
        {"script__main.js": b"", "script__maix.js": FILES["script/main.js"]},
    ],
)
def test_any_change_gives_new_addresses(load: Load, changes: dict[str, bytes]) -> None:
    """Any changed or added file gives another hash; equal files give the same."""
    assert _base_of(load()) == _base_of(load()) != _base_of(load(**changes))


def test_what_an_editor_leaves_is_no_part_of_the_page(load: Load) -> None:
    """A file with an unknown extension is not served, and changes no path."""
    assert load(**{"script__main.js~": b"x", "README.md": b"x", "script__.swp": b"x"}) == load()


def test_comments_of_whole_lines_are_not_sent(load: Load) -> None:
    """What shares a line with code stays, and so do the licences of other projects."""
    code = b"import './x.js' // here\nconst url = 'https://x/*y*/'\n/** @type {Shop} */ (x).open()\n"
    script = b"/** A view. */\n/*\n * More.\n */\n" + code + b"  // there\nclose() /* the\n shop */\n"
    page = load(**{"script__a.js": script, "style__x.css": b"/* a */\nb {}", "library__r.js": b"/* MIT */\nx()"})
    base = _base_of(page)
    assert page.assets[f"{base}/style/x.css"].plain() == b"b {}"
    assert page.assets[f"{base}/library/r.js"].plain() == b"/* MIT */\nx()"
    assert page.assets[f"{base}/script/a.js"].plain() == code + b"close() /* the\n shop */\n"


def test_a_page_that_would_fill_the_memory_stops_the_start(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """The total size of all files is limited."""
    monkeypatch.setattr(page_files, "MOST_BYTES", 500)
    with pytest.raises(StartError, match="500 bytes"):
        load()
