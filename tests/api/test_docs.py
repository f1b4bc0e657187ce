"""What the service tells of itself: the page of its API, the document of that, its source code and its licence."""

import json
import re
from importlib.metadata import version

import pytest
from yarl import URL

from barcodesvc.api.openapi.document import api_document
from barcodesvc.api.openapi.pages import ASSETS
from barcodesvc.api.responses import kept_etag
from barcodesvc.api.routes import ROUTES
from tests.fixture_types import Client, ClientMaker

CHANGED = "https://shop.example/source.tar.gz"


async def test_the_page_loads_what_is_served_here(client: Client) -> None:
    """All files that the page loads exist next to it, and it leads back to the app; nothing in it is inline."""
    response = await client.get("/api/docs")
    assert (response.status, response.content_type, response.charset) == (200, "text/html", "utf-8")
    page = await response.text()
    assert sorted(re.findall(r' (?:src|href)="([^"]+)"', page)) == sorted(["/", *(f"docs/{name}" for name in ASSETS)])
    assert re.findall(r"<style|<script(?! src=)| style=| on[a-z]+=|<script[^>]*>[^<]", page) == []
    for name in ASSETS:
        assert (await client.get(f"/api/docs/{name}")).status == 200


async def test_the_page_may_load_nothing_else(client: Client) -> None:
    """The policy names only this origin, forbids inline scripts, and forbids framing."""
    policy = (await client.get("/api/docs")).headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert not re.search(r"https?:|\*|unsafe-eval", policy)


@pytest.mark.parametrize(("name", "content_type"), ASSETS.items(), ids=ASSETS)
async def test_assets_have_their_types_and_tags(client: Client, name: str, content_type: str) -> None:
    """An asset has its type, which browsers must not guess, and is a 304 for a client that has it."""
    response = await client.get(f"/api/docs/{name}")
    assert (response.status, response.content_type) == (200, content_type)
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert await response.read()
    again = await client.get(f"/api/docs/{name}", headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status, await again.read()) == (304, b"")


async def test_what_is_kept_is_hashed_once(client: Client) -> None:
    """Swagger's script has over a megabyte, and a template for an import is asked for again as well."""
    paths = ["/api/openapi.json", "/api/products/import/template", *(f"/api/docs/{name}" for name in ASSETS)]
    for path in paths:
        await client.get(path)
    hashed = kept_etag.cache_info().misses
    for path in paths:
        await client.get(path)
    assert kept_etag.cache_info().misses == hashed
    assert kept_etag.cache_info().hits >= len(paths)


@pytest.mark.parametrize(
    "name",
    ["LICENSE", "..%2F__init__.py", "%2e%2e%2fdocs", "..%5C..%5Csetup.cfg", "%2Fetc%2Fpasswd", "start.js%00", "x"],
)
async def test_nothing_else_is_an_asset(client: Client, name: str) -> None:
    """Files outside the table are a 404, even if the package contains them."""
    response = await client.get(URL(f"/api/docs/{name}", encoded=True))
    assert response.status == 404
    assert (await response.json())["code"] == "VALIDATION_ERROR"


async def test_the_page_s_own_files_suit_it(client: Client) -> None:
    """Its script shows the document that is served here, and asks no validator; its style follows the dark scheme."""
    script = await (await client.get("/api/docs/start.js")).text()
    assert 'url: "openapi.json"' in script
    assert "validatorUrl: null" in script
    assert "(prefers-color-scheme: dark)" in await (await client.get("/api/docs/page.css")).text()


async def test_the_served_document_is_the_document(client: Client) -> None:
    """The served document is generated from the route table, with a strong tag that yields a 304."""
    response = await client.get("/api/openapi.json")
    assert (response.status, response.content_type) == (200, "application/json")
    assert await response.json() == json.loads(json.dumps(api_document(ROUTES)))
    again = await client.get("/api/openapi.json", headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status, await again.read(), again.headers["ETag"]) == (304, b"", response.headers["ETag"])


async def test_a_release_names_itself_and_its_licence(client: Client) -> None:
    """Where no other address is configured."""
    response = await client.get("/source")
    assert (response.status, response.content_type) == (200, "text/plain")
    text = await response.text()
    assert text.startswith(f"barcodesvc {version('barcodesvc')}\n")
    assert "AGPL-3.0-or-later" in text


async def test_a_changed_copy_leads_to_its_source_code(make_client: ClientMaker) -> None:
    """Without a key as well: everyone who reaches the service may have it."""
    client = await make_client(source_url=CHANGED, api_key=("k" * 24,))
    response = await client.get("/source", allow_redirects=False)
    assert (response.status, response.headers["Location"]) == (302, CHANGED)
