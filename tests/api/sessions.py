"""Sessions of the page, as used by a browser and by a client that has copied its cookie."""

from http.cookies import SimpleCookie

from aiohttp import ClientResponse

from barcodesvc.api.guard.sessions import COOKIE
from tests.fixture_types import Client

PATH = "/api/page/session"


def given(response: ClientResponse) -> str | None:
    """Return the cookie value that a response sets, "" if it deletes the cookie, None if it does neither."""
    header = response.headers.get("Set-Cookie")
    return SimpleCookie(header)[COOKIE].value if header else None


async def asked(client: Client, method: str, path: str, cookie: str | None = None, **more: object) -> ClientResponse:
    """Send a request with this cookie, and without cookies that the client has stored."""
    client.session.cookie_jar.clear()
    headers = dict(more.pop("headers", None) or {})  # type: ignore[call-overload]  # headers are a mapping
    if cookie is not None:
        headers["Cookie"] = f"{COOKIE}={cookie}"
    response = await client.request(method, path, headers=headers, **more)  # type: ignore[arg-type]  # passed on
    client.session.cookie_jar.clear()
    return response


async def logged_in(client: Client, key: str = "any") -> str:
    """Log in and return the cookie's value."""
    response = await asked(client, "POST", PATH, json={"api_key": key})
    assert (response.status, await response.json()) == (200, {"success": True, "message": "the web app has a session"})
    cookie = given(response)
    assert cookie
    return cookie


async def status(client: Client, cookie: str, **headers: str) -> int:
    """Return the status of a read with the cookie; `_` becomes `-` in the names of headers."""
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return (await asked(client, "GET", "/api/products", cookie, headers=told)).status
