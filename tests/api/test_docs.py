import re
from html.parser import HTMLParser

import pytest
from typing_extensions import override
from yarl import URL

from barcodesvc.api.openapi.pages import ASSETS
from barcodesvc.api.responses import kept_etag
from tests.fixture_types import Client


class Page(HTMLParser):
    """What a page loads, and the texts of its inline scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.inline: list[str] = []
        self._inside = ""
        self.feed(text)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        self.loaded += [value for name, value in attrs if name in ("src", "href") and value]
        self.inline += [name for name, _ in attrs if name == "style" or name.startswith("on")]

    @override
    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside.removeprefix(tag)

    @override
    def handle_data(self, data: str) -> None:
        if self._inside in ("script", "style"):
            self.inline.append(data)


async def test_the_page_loads_what_is_served_here(client: Client) -> None:
    """All files that the page loads exist next to it, and it leads back to the app; nothing in it is inline."""
    response = await client.get("/api/docs")
    assert (response.status, response.content_type, response.charset) == (200, "text/html", "utf-8")
    page = Page(await response.text())
    assert sorted(page.loaded) == sorted(["/", *(f"docs/{name}" for name in ASSETS)])
    assert page.inline == []
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


async def test_the_page_starts_with_the_document_next_to_it(client: Client) -> None:
    """The page's script shows the document that is served here, and asks no validator."""
    script = await (await client.get("/api/docs/start.js")).text()
    assert 'url: "openapi.json"' in script
    assert "validatorUrl: null" in script


async def test_the_page_follows_the_dark_scheme(client: Client) -> None:
    """Of the device, as the web app does."""
    assert "(prefers-color-scheme: dark)" in await (await client.get("/api/docs/page.css")).text()
