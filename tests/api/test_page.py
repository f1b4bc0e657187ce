import gzip
import json
import re
from collections.abc import Awaitable, Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from aiohttp.web import Application
from pydantic_core import to_json
from yarl import URL

from barcodesvc.api.resources.page_limits import PAGE_LIMITS
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from tests.conftest import StandingClock
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'; "
    "connect-src 'self'; img-src 'self' blob:; media-src 'self' blob:; frame-src blob:; manifest-src 'self'; "
    "worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types service-worker"
)
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

Problems = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a small page."""
    folder = tmp_path / "page"
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture
async def client(
    aiohttp_client: Callable[..., Awaitable[Client]], settings: Settings, standing_clock: StandingClock, folder: Path
) -> Client:
    """Return a client of a service with the small page, which does not decode bodies."""
    app: Application = make_app(settings, standing_clock.clock(), folder)
    return await aiohttp_client(app, auto_decompress=False)


async def _base(client: Client) -> str:
    """Return the path of the folder, which the shell contains."""
    text = await (await client.get("/", headers=PLAIN)).text()
    found = re.search(r"<title>(/page/[0-9a-f]+)</title>", text)
    assert found
    return found[1]


@pytest.mark.parametrize("headers", [{}, {"Accept": "application/json"}, {"User-Agent": "curl/8.1"}])
async def test_the_address_of_the_service_is_the_page(client: Client, headers: dict[str, str]) -> None:
    """Every client gets it, including programs."""
    response = await client.get("/", headers=PLAIN | headers)
    assert (response.status, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert (await response.read()).endswith(b"<p>shop</p>")


async def test_the_shell_has_the_limits_of_the_service(client: Client) -> None:
    """A field of the web app accepts exactly what the service does."""
    [limits] = re.findall(r'data-limits="([^"]+)"', await (await client.get("/", headers=PLAIN)).text())
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


async def test_the_window_is_its_own_where_browsers_can_see_to_it(client: Client) -> None:
    """Over plain HTTP they cannot, and would log an error to the console of every device."""
    assert "Cross-Origin-Opener-Policy" not in (await client.get("/")).headers


async def test_the_watchdog_is_at_an_address_that_stays(client: Client) -> None:
    """Every version of the shell can load it."""
    response = await client.get("/watchdog.js", headers=PLAIN)
    assert await response.read() == FILES["watchdog.js"]
    assert response.headers["Cache-Control"] == "no-cache"


async def test_the_service_worker_is_asked_for_again_and_may_ask_the_service(client: Client) -> None:
    """A worker is subject to the policy of its response, which lets it fetch from here; it lists every asset."""
    response = await client.get("/service-worker.js", headers=PLAIN)
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["Content-Security-Policy"] == POLICY
    base, text = await _base(client), await response.text()
    assert {f"{base}/{name}" for name in TYPES} == set(re.findall(r'"([^"]+)"', text))


async def test_the_worker_that_sends_is_served_in_the_same_way(client: Client) -> None:
    """It loads the page's scripts from their addresses."""
    one, other = [await client.get(f"/{name}-worker.js", headers=PLAIN) for name in ("service", "sending")]
    assert await other.text() == f"import '{await _base(client)}/script/main.js';"
    for header in ("Content-Type", "Cache-Control", "Content-Security-Policy"):
        assert other.headers[header] == one.headers[header]


@pytest.mark.parametrize(("name", "content_type"), TYPES.items(), ids=TYPES)
async def test_an_asset_is_kept_forever(client: Client, name: str, content_type: str) -> None:
    """Each has its type, which must not be sniffed, and a URL whose content never changes."""
    response = await client.get(f"{await _base(client)}/{name}", headers=PLAIN)
    assert (response.status, response.headers["Content-Type"]) == (200, content_type)
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "ETag" not in response.headers
    assert await response.read() == (BINARY if name.endswith(".wasm") else FILES[name])


async def test_what_a_browser_opens_has_policies(client: Client) -> None:
    """Scripts and styles are under those of the page that loads them, and no document by themselves."""
    nothing, base = "default-src 'none'; frame-ancestors 'none'", await _base(client)
    parts = {name for name in TYPES if name.endswith((".js", ".css"))}
    workers = {name for name in TYPES if name.endswith("-worker.js")}
    expected = {
        **dict.fromkeys(TYPES, (nothing, "no-referrer")),
        **dict.fromkeys(parts, (None, None)),
        **dict.fromkeys(workers, (POLICY, "no-referrer")),
    }
    heads = {name: (await client.get(f"{base}/{name}")).headers for name in TYPES}
    assert {n: (h.get("Content-Security-Policy"), h.get("Referrer-Policy")) for n, h in heads.items()} == expected


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


async def test_a_file_that_is_compressed_on_disk_is_sent_as_it_is(client: Client) -> None:
    """A large one takes long to compress, so it is not compressed again at each start."""
    response = await client.get(f"{await _base(client)}/library/zxing/zxing_reader.wasm", headers=GZIP)
    assert response.headers["Content-Encoding"] == "gzip"
    assert await response.read() == FILES["library/zxing/zxing_reader.wasm.gz"]


@pytest.fixture
def incomplete(folder: Path) -> Path:
    """Return the folder of the page without its library."""
    (folder / "library" / "LICENSES.txt").unlink()
    return folder


async def test_the_api_works_while_the_page_lacks_files(
    aiohttp_client: Callable[..., Awaitable[Client]],
    settings: Settings,
    incomplete: Path,
    refused: Problems,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log says so at the start, and every path of the page says it, too."""
    client = await aiohttp_client(make_app(settings, page_folder=incomplete))
    assert "the web app lacks library/LICENSES.txt" in caplog.text
    for path in ("/", "/service-worker.js", "/page/0123/script/main.js"):
        assert "run scripts/setup" in (await refused(await client.get(path), 404, "VALIDATION_ERROR"))["message"]
    assert (await client.get("/api/products")).status == 200


async def test_a_picture_comes_as_it_is(client: Client) -> None:
    """Formats that are compressed already are not compressed again."""
    response = await client.get(f"{await _base(client)}/icons/icon.png", headers=GZIP)
    assert "Content-Encoding" not in response.headers
    assert await response.read() == PICTURE


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


@pytest.mark.parametrize("name", ["", "service-worker.js", "script/main.js"])
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
        "/page/0123456789abcdef/script/main.js",
        "/page/",
        "/page",
        "/index.html",
        "{base}",
        "{base}/",
        "{base}/index.html",
        "{base}/service-worker.js",
        "{base}/script//main.js",
        "{base}/script%2Fmain.js%00",
        "{base}/..%2F..%2Fapp.py",
        "{base}/%2e%2e/%2e%2e/app.py",
        "{base}/script%5Cmain.js",
        "{base}/script/main.js/",
    ],
)
async def test_nothing_else_is_there(client: Client, refused: Problems, path: str) -> None:
    """A path with another hash, of no file, or outside of the folder is a 404 that is not cached."""
    response = await client.get(URL(path.format(base=await _base(client)), encoded=True))
    assert await refused(response, 404, "VALIDATION_ERROR")
    assert response.headers["Cache-Control"] == "no-store"


async def test_an_escaped_address_is_the_same_address(client: Client) -> None:
    """A path that a browser or proxy escapes names the same file (RFC 3986, 6.2.2)."""
    response = await client.get(URL(f"{await _base(client)}/script/m%61in.js", encoded=True))
    assert response.status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_the_page_is_read_alone(client: Client, refused: Problems, method: str) -> None:
    """Only GET and HEAD are allowed."""
    for path in ("/", "/service-worker.js", f"{await _base(client)}/script/main.js"):
        told = await refused(await client.request(method, path), 405, "VALIDATION_ERROR")
        assert told["details"] == {"reason": "method_not_allowed", "allowed": ["GET", "HEAD"]}


async def test_the_page_counts_against_no_limit(make_client: ClientMaker) -> None:
    """Ten devices behind one address can load it without limit, and keep their requests for the API."""
    client = await make_client(rate_limit="1/15 minutes")
    responses = [await client.get(path) for _ in range(5) for path in ("/", "/service-worker.js")]
    assert {response.status for response in responses} == {200}
    assert not any("RateLimit-Limit" in response.headers for response in responses)
    assert (await client.get("/api/products")).status == 200


async def test_the_page_needs_no_key(make_client: ClientMaker) -> None:
    """It contains no data; its requests to the API need the key as usual."""
    client = await make_client(api_key="k" * 24)
    assert (await client.get("/")).status == (await client.get("/service-worker.js")).status == 200
    assert (await client.get("/api/products")).status == 401


async def test_the_page_answers_under_any_name(make_client: ClientMaker) -> None:
    """A link from another site opens it: it contains nothing that pages of other sites could not read anyway."""
    client = await make_client(allowed_hosts=())
    headers = {"Host": "rebound.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert (await client.get("/", headers=headers)).status == 200


async def test_pages_of_other_origins_do_not_read_it(make_client: ClientMaker) -> None:
    """An allowed origin may use the API; no other origin may embed or read the page itself."""
    client = await make_client(cors_origins=("https://shop.example",))
    headers = {"Origin": "https://shop.example"}
    assert "Access-Control-Allow-Origin" in (await client.get("/api/products", headers=headers)).headers
    response = await client.get("/", headers=headers)
    assert "Access-Control-Allow-Origin" not in response.headers
    assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"


async def test_the_document_of_the_api_does_not_name_the_page(client: Client) -> None:
    """It describes only the API."""
    response = await client.get("/api/openapi.json", headers=PLAIN)
    assert {path.split("/")[1] for path in (await response.json())["paths"]} == {"api", "health", "metrics"}


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
