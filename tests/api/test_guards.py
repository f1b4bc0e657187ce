"""The guards before every route: the rate limit, the API key and the rules for heads, in this order."""

import pytest
from aiohttp import ClientResponse

from tests.fixture_types import Client, ClientMaker, Raw

KEY = "correct-horse-battery-staple"
KIOSK = "https://kiosk.example"
EVERY_RULE = {
    "an encoded body": {"Content-Encoding": "gzip"},
    "a long type": {"Content-Type": "a" * 201},
    "a foreign page": {"Origin": "https://evil.example"},
    "a foreign host": {"Host": "evil.example"},
}
"""Invalid heads, by what is wrong with each."""
PATHS = ["/api/products", "/api/products/import", "/api/nothing", "/api"]

breaks_a_rule = pytest.mark.parametrize("head", EVERY_RULE.values(), ids=EVERY_RULE)


async def _refused(client: Client, path: str, head: dict[str, str]) -> ClientResponse:
    return await client.post(path, data=b"{}", headers={"Content-Type": "application/json"} | head, compress=False)


def _limit(response: ClientResponse) -> tuple[str | None, ...]:
    return tuple(response.headers.get(f"RateLimit-{name}") for name in ("Limit", "Remaining", "Reset"))


@breaks_a_rule
@pytest.mark.parametrize("path", PATHS)
async def test_a_head_that_is_refused_counts_like_any_request(
    make_client: ClientMaker, path: str, head: dict[str, str]
) -> None:
    """The response says what is left, and a client cannot send such heads without limit."""
    client = await make_client(rate_limit="2/minute")
    responses = [await _refused(client, path, head) for _ in range(3)]
    assert [response.status for response in responses] == [400, 400, 429]
    assert [_limit(response) for response in responses] == [("2", "1", "60"), ("2", "0", "60"), ("2", "0", "60")]
    assert (await client.get("/api/products")).status == 429


@breaks_a_rule
@pytest.mark.parametrize("path", PATHS)
async def test_without_a_key_no_rule_is_reported(make_client: ClientMaker, path: str, head: dict[str, str]) -> None:
    """Without a key the response says only that one is needed; with it, the other problems."""
    client = await make_client(api_key=KEY, allowed_hosts="x")
    assert (await _refused(client, path, head)).status == 401
    assert (await _refused(client, path, head | {"X-API-Key": KEY})).status == 400


@pytest.mark.parametrize("path", ["/health", "/metrics", "/nothing"])
@pytest.mark.parametrize("head", [EVERY_RULE["an encoded body"], EVERY_RULE["a foreign page"]], ids=str)
async def test_outside_of_the_api_the_rules_hold_too(make_client: ClientMaker, path: str, head: dict[str, str]) -> None:
    """No key is needed and no limit counts there, but an invalid head is still refused."""
    client = await make_client(api_key=KEY, rate_limit="1/minute")
    responses = [await _refused(client, path, head) for _ in range(2)]
    assert [(response.status, _limit(response)) for response in responses] == [(400, (None,) * 3)] * 2


@breaks_a_rule
@pytest.mark.parametrize("path", PATHS)
async def test_no_one_is_asked_for_a_body_that_a_guard_refuses(
    make_client: ClientMaker, raw: Raw, path: str, head: dict[str, str]
) -> None:
    """A client that waits for a `100 Continue` gets the refusal instead: for its head, its missing key, the limit."""
    client = await make_client(api_key=KEY, allowed_hosts="x", rate_limit="2/minute")
    usual = {"Host": "x", "Expect": "100-continue", "Content-Length": "2", "Connection": "close"}
    responses = []
    for headers in (usual, usual | head | {"X-API-Key": KEY}, usual | {"X-API-Key": KEY}):
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        responses.append(await raw(client, f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode(), end=b"\r\n"))
    assert [response[:12] for response in responses] == [b"HTTP/1.1 401", b"HTTP/1.1 400", b"HTTP/1.1 429"]


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/api/nothing", 404), ("PATCH", "/api/products", 405)])
async def test_a_page_of_an_allowed_origin_reads_what_has_no_route(
    make_client: ClientMaker, method: str, path: str, status: int
) -> None:
    """It learns that it has a wrong address, instead of a network error."""
    client = await make_client(cors_origins=KIOSK)
    response = await client.request(method, path, headers={"Origin": KIOSK})
    assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (status, KIOSK)


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_of_an_allowed_origin_reads_each_refusal(make_client: ClientMaker, path: str) -> None:
    """The headers with the rest of the limit and the time to retry are exposed."""
    client = await make_client(cors_origins=KIOSK, api_key=KEY, rate_limit="2/minute")
    heads = [{}, {"X-API-Key": KEY, "Content-Encoding": "gzip"}, {}]
    responses = [await _refused(client, path, {"Origin": KIOSK} | head) for head in heads]
    assert [response.status for response in responses] == [401, 400, 429]
    for response in responses:
        assert (response.headers["Access-Control-Allow-Origin"], response.headers["Vary"]) == (KIOSK, "Origin")
        exposed = set(response.headers["Access-Control-Expose-Headers"].split(","))
        assert {
            "RateLimit-Limit",
            "RateLimit-Remaining",
            "RateLimit-Reset",
            "Retry-After",
            "X-Request-ID",
            "Location",
        } <= exposed
