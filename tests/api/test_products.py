"""Products over HTTP: pages, searches, creations, changes. The store's tests and those of the models have the rules."""

from typing import Any

from hypothesis import HealthCheck, given, strategies as st

from tests.api.replies import problems, refused
from tests.fixture_types import Client
from tests.properties import examples
from tests.sweeps import sweep

DRAFT = {"product_code": "B-1", "description": "Red pen"}
MAX_LEVEL = 2**53 - 1
ASCII = st.characters(min_codepoint=33, max_codepoint=126)


async def created(client: Client, code: str, **fields: object) -> dict[str, Any]:
    """Create a product, and return it."""
    response = await client.post("/api/products", json={"product_code": code, "description": code, **fields})
    reply = await response.json()
    assert response.status == 201, reply
    return dict(reply["data"])


async def codes(client: Client, **query: str) -> list[str]:
    """Return the codes on a page of products."""
    response = await client.get("/api/products", params=query)
    assert response.status == 200, await response.text()
    return [product["product_code"] for product in (await response.json())["data"]]


async def test_a_page_holds_50_products_by_default(client: Client) -> None:
    """They are in the order of their ids; a page past the end is empty with the right totals."""
    empty = await (await client.get("/api/products")).json()
    assert empty == {"success": True, "data": [], "pagination": {"page": 1, "limit": 50, "total": 0, "pages": 0}}
    for number in range(51):
        await created(client, f"C-{number:02}")
    reply = await (await client.get("/api/products")).json()
    assert [product["id"] for product in reply["data"]] == list(range(1, 51))
    assert reply["pagination"] == {"page": 1, "limit": 50, "total": 51, "pages": 2}
    assert await codes(client, page="26", limit="2") == ["C-50"]
    reply = await (await client.get("/api/products?page=9007199254740991&limit=500")).json()
    assert (reply["data"], reply["pagination"]["total"], reply["pagination"]["pages"]) == ([], 51, 1)


@sweep("name", ["page", "limit"])
async def test_a_page_and_a_limit_are_whole_numbers_from_1(client: Client, name: str) -> None:
    """Any other spelling is refused by name."""
    for wrong in ("0", "-1", "1.0", "", "abc", "٣", "1٣", "01", "+1", " 1", "1e1", "9" * 20, "0x10", "1_0"):
        assert list(await problems(await client.get("/api/products", params={name: wrong}))) == [name], wrong


async def test_a_page_holds_at_most_500(client: Client) -> None:
    """A greater limit is refused, and the message repeats it."""
    reply = await refused(await client.get("/api/products", params={"limit": "501"}), 400, "VALIDATION_ERROR")
    assert reply["details"]["errors"] == [
        {"rule": "range", "field": "limit", "message": "Input should be less than or equal to 500", "value": "501"}
    ]


async def test_everything_that_is_wrong_with_a_query_is_reported_at_once(client: Client) -> None:
    """Wrong values and unknown names; of a parameter that is given twice, neither value is used."""
    query = {"page": "0", "limit": "x", "search": "\x00", "category": "c" * 65, "Search": "x"}
    assert set(await problems(await client.get("/api/products", params=query))) == set(query)
    assert await problems(await client.get("/api/products?page=1&limit=5&page=2")) == {"page": "given more than once"}


async def test_the_best_match_of_a_search_comes_first(client: Client) -> None:
    """The code itself, the same code in another case, codes that begin with it, and others; each group by id."""
    listed = ["M8 nut", "AB M8", "m8", "M8-30", "M8", "X"]
    for code in listed:
        await created(client, code, description="Straße_ \\ hex m8")
    best_first = ["M8", "m8", "M8 nut", "M8-30", "AB M8", "X"]
    assert await codes(client, search=" M8 ") == best_first
    assert await codes(client, search="m8 STRASSE e_ \\") == listed
    assert await codes(client, search="M8", sort="-id") == listed[::-1]
    assert await codes(client, search="M8 missing") == []
    reply = await (await client.get("/api/products?search=m8&limit=4&page=2")).json()
    assert [product["product_code"] for product in reply["data"]] == best_first[4:]
    assert reply["pagination"]["total"] == 6


@sweep(
    ("search", "found"),
    [
        ("(01) 04006381333931", ["4006381333931"]),
        ("9780804429573", ["0-8044-2957-X", "about 9780804429573"]),
        ("ISBN 0-8044-2957-X", ["0-8044-2957-X"]),
        ("04150049876299", ["PZN 4987629"]),
        ("4 006381 333932", []),
    ],
)
async def test_a_number_is_found_in_another_spelling(client: Client, search: str, found: list[str]) -> None:
    """As a scan finds it, before products whose texts contain it, and among those of the other filters."""
    texts = {"category": "B", "description": "x", "minimum_level": 5, "initial_level": 1}
    stored = ("4006381333931", "about 9780804429573", "0-8044-2957-X", "PZN 4987629")
    ids = [(await created(client, code, **texts))["id"] for code in stored]
    filters: list[dict[str, str]] = [{}, {"category": "B"}, {"stock": "low"}, {"moved_since": "2020-01-01"}]
    for query in filters:
        assert await codes(client, search=search, **query) == found
    assert await codes(client, search=search, category="x") == []
    for number in ids:
        await client.delete(f"/api/products/{number}")


async def test_a_search_for_many_words_is_refused(client: Client) -> None:
    """The message says how many there are, and how many there may be; a repeated word counts once."""
    words = [f"w{number}" for number in range(33)]
    refused = await problems(await client.get("/api/products", params={"search": " ".join(words)}))
    assert refused == {"search": "33 words; a search has at most 32"}
    assert await codes(client, search=" ".join([*words[:32], "W1"])) == []


@sweep("query", ["search=%ED%A0%80", "search=%FF", "category=%00", "category=%ED%A0%80", "search=%"])
async def test_bytes_that_are_no_text_find_nothing(shop: Client, query: str) -> None:
    """Broken percent-encoding neither fails nor matches."""
    assert (await (await shop.get(f"/api/products?{query}")).json())["data"] == []


async def test_the_greatest_values_fit(client: Client) -> None:
    """Texts of full length in any script and levels up to 2^53-1 are returned as they were sent."""
    sent = {"description": "\N{GRINNING FACE}" * 500, "category": "ß" * 64}
    levels = dict.fromkeys(("initial_level", "minimum_level", "maximum_level"), MAX_LEVEL)
    product = await created(client, "~" * 64, **sent, **levels)
    assert {name: product[name] for name in sent} == sent
    assert (await (await client.get("/api/inventory/1")).json())["data"]["current_level"] == MAX_LEVEL


async def test_all_problems_of_a_product_are_reported_at_once(client: Client) -> None:
    """One response names every wrong, missing and unknown field, with the value if it is short."""
    body = {"product_code": "\0x", "category": 5, "minimum_level": -1, "colour": "red", "unit_of_measure": "u" * 200}
    reply = await refused(await client.post("/api/products", json=body), 400, "VALIDATION_ERROR")
    values = {problem["field"]: problem.get("value") for problem in reply["details"]["errors"]}
    assert values == {**body, "description": None, "unit_of_measure": None}
    assert reply["message"].endswith("(and 5 more)")
    assert await codes(client) == []


@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(code=st.text(ASCII, min_size=1, max_size=64))
async def test_any_printable_code_is_kept(client: Client, code: str) -> None:
    """Any printable ASCII code is returned as it was sent, or exists already."""
    response = await client.post("/api/products", json={"product_code": code, "description": "x"})
    reply = await response.json()
    assert reply["data"]["product_code"] == code if response.status == 201 else response.status == 409


async def test_an_update_changes_what_it_names(shop: Client, standing_clock: Any) -> None:
    """The response is the whole product with the named fields changed and a new updated_at."""
    change = {"product_code": "A-1", "description": "Black pen", "category": ""}
    before = (await (await shop.get("/api/products/1")).json())["data"]
    standing_clock.advance(1)
    after = (await (await shop.put("/api/products/1", json={**change, "minimum_level": 9})).json())["data"]
    assert after == {**before, **change, "updated_at": "2023-11-14T22:13:21.000Z"}
    assert (await (await shop.get("/api/products/1")).json())["data"] == after
    level = (await (await shop.get("/api/inventory/1")).json())["data"]
    assert (level["current_level"], level["minimum_level"], level["maximum_level"]) == (5, 9, 9)


@sweep(
    ("change", "fields"),
    [
        ({}, {"body": None}),
        ({"product_code": "A-1"}, {"body": None}),
        ({"product_code": "A-2", "category": "\0"}, {"category": "characters"}),
        ({"product_code": "A-2", "maximum_level": 1}, {"maximum_level": "order"}),
        ({"description": None, "initial_level": 1, "id": 1}, {"description": None, "initial_level": None, "id": None}),
        ({"attributes": {f"name_{number}": "x" for number in range(33)}}, {"attributes": "too many"}),
    ],
)
async def test_an_update_that_cannot_be_is_refused(shop: Client, change: Any, fields: dict[str, str | None]) -> None:
    """Each wrong field is named, with the rule that it breaks, which a program can say in its own words."""
    before = await (await shop.get("/api/products/1")).json()
    reply = await refused(await shop.put("/api/products/1", json=change), 400, "VALIDATION_ERROR")
    assert {problem["field"]: problem.get("rule") for problem in reply["details"]["errors"]} == fields
    assert await (await shop.get("/api/products/1")).json() == before


async def test_a_bad_id_and_a_bad_body_are_reported_together(shop: Client) -> None:
    """Problems of path, body and query are in one response."""
    assert set(await problems(await shop.put("/api/products/x", json={"category": 1}))) == {"id", "category"}
    assert set(await problems(await shop.delete("/api/products/x?force=1"))) == {"id", "force"}
