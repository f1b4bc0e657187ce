import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, strategies as st

from tests.fixture_types import Client
from tests.properties import examples
from tests.sweeps import sweep

DRAFT = {"product_code": "B-1", "description": "Red pen"}
MAX_LEVEL = 2**53 - 1
ASCII = st.characters(min_codepoint=33, max_codepoint=126)


async def _create(client: Client, code: str, **fields: object) -> int:
    response = await client.post("/api/products", json={"product_code": code, "description": code, **fields})
    reply = await response.json()
    assert response.status == 201, reply
    return int(reply["data"]["id"])


async def _codes(client: Client, **query: str) -> list[str]:
    response = await client.get("/api/products", params=query)
    assert response.status == 200, await response.text()
    return [product["product_code"] for product in (await response.json())["data"]]


async def _level(client: Client, product_id: int) -> dict[str, Any]:
    response = await client.get("/api/inventory", params={"product_id": str(product_id)})
    return dict((await response.json())["data"][0])


async def test_a_page_holds_50_products_by_default(client: Client) -> None:
    """Without a limit the first 50 products are returned in the order of their ids, and the totals are right."""
    for number in range(51):
        await _create(client, f"C-{number:02}")
    reply = await (await client.get("/api/products")).json()
    assert [product["id"] for product in reply["data"]] == list(range(1, 51))
    assert reply["pagination"] == {"page": 1, "limit": 50, "total": 51, "pages": 2}
    assert await _codes(client, page="2") == ["C-50"]


@pytest.fixture
async def three(client: Client) -> Client:
    """Return a client of a service with three products."""
    for code in ("A-1", "A-2", "A-3"):
        await _create(client, code)
    return client


@sweep(
    ("page", "limit", "codes", "pages"),
    [
        ("1", "1", ["A-1"], 3),
        ("2", "2", ["A-3"], 2),
        ("1", "500", ["A-1", "A-2", "A-3"], 1),
        ("2", "500", [], 1),
        ("9007199254740991", "500", [], 1),
    ],
)
async def test_pages_are_counted(three: Client, page: str, limit: str, codes: list[str], pages: int) -> None:
    """Each page has `limit` products; a page past the end is empty with the right totals."""
    reply = await (await three.get("/api/products", params={"page": page, "limit": limit})).json()
    assert [product["product_code"] for product in reply["data"]] == codes
    assert reply["pagination"] == {"page": int(page), "limit": int(limit), "total": 3, "pages": pages}


async def test_an_empty_catalogue_has_no_pages(client: Client) -> None:
    """Without products there are 0 pages."""
    reply = await (await client.get("/api/products")).json()
    assert reply == {"success": True, "data": [], "pagination": {"page": 1, "limit": 50, "total": 0, "pages": 0}}


@pytest.mark.parametrize("name", ["page", "limit"])
async def test_a_page_and_a_limit_are_whole_numbers_from_1(client: Client, problems: Any, name: str) -> None:
    """Any other spelling is refused by name."""
    for wrong in ("0", "-1", "1.0", "", "abc", "٣", "01", "+1", " 1", "1e1", "9" * 20, "0x10", "1_0"):
        assert list(await problems(await client.get("/api/products", params={name: wrong}))) == [name], wrong


async def test_a_page_holds_at_most_500(client: Client, refused: Any) -> None:
    """A greater limit is refused, and the message repeats it."""
    reply = await refused(await client.get("/api/products", params={"limit": "501"}), 400, "VALIDATION_ERROR")
    assert reply["details"]["errors"] == [
        {"rule": "range", "field": "limit", "message": "Input should be less than or equal to 500", "value": "501"}
    ]


async def test_everything_that_is_wrong_with_a_query_is_reported_at_once(client: Client, problems: Any) -> None:
    """Wrong values and unknown names are reported in one response."""
    query = {"page": "0", "limit": "x", "search": "\x00", "category": "c" * 65, "Search": "x"}
    assert set(await problems(await client.get("/api/products", params=query))) == set(query)


async def test_a_parameter_that_is_given_twice_is_refused(client: Client, problems: Any) -> None:
    """Neither of two values is used."""
    response = await client.get("/api/products?page=1&limit=5&page=2")
    assert await problems(response) == {"page": "given more than once"}


@pytest.fixture
async def worded(client: Client) -> Client:
    """Return a client of a service with products to search for by words."""
    descriptions = ["Pencil", "red pen", "Straße Ångström", "ЖУК", "100% \\ wool"]
    for code, description in zip(["PEN-1", "X-2", "X-3", "X-4", "X_5"], descriptions, strict=True):
        await _create(client, code, description=description)
    return client


@sweep(
    ("search", "found"),
    [
        ("pen", ["PEN-1", "X-2"]),
        ("PEN", ["PEN-1", "X-2"]),
        ("straße", ["X-3"]),
        ("STRASSE", ["X-3"]),
        ("ÅNGSTRÖM", ["X-3"]),
        ("angstrom", ["X-3"]),
        ("pen red", ["X-2"]),
        ("ang x-3 stra", ["X-3"]),
        ("red pen nothing", []),
        (" pen  ", ["PEN-1", "X-2"]),
        ("wo _5 %", ["X_5"]),
        ("жук", ["X-4"]),
        ("100%", ["X_5"]),
        ("x_", ["X_5"]),
        ("%", ["X_5"]),
        ("\\", ["X_5"]),
        ("", ["PEN-1", "X-2", "X-3", "X-4", "X_5"]),
        ("nothing", []),
    ],
)
async def test_search_finds_words_in_code_and_description(worded: Client, search: str, found: list[str]) -> None:
    """Every word, in any order, without regard to case and accents; `%`, `_` and a backslash are plain characters."""
    assert await _codes(worded, search=search) == found


async def test_the_best_match_of_a_search_comes_first(client: Client) -> None:
    """The code itself, the same code in another case, codes that begin with it, and others; each group by id."""
    codes = ["M8 nut", "AB M8", "m8", "M8-30", "M8", "X"]
    for code in codes:
        await _create(client, code, description="hex bolt m8")
    assert await _codes(client, search="M8") == ["M8", "m8", "M8 nut", "M8-30", "AB M8", "X"]
    assert await _codes(client, search="m8 bolt") == codes
    assert await _codes(client, search=" M8 ") == ["M8", "m8", "M8 nut", "M8-30", "AB M8", "X"]
    assert await _codes(client, search="M8", sort="-id") == codes[::-1]


@sweep(
    ("search", "found"),
    [
        ("4 006381 333931", ["4006381333931"]),
        ("(01) 04006381333931", ["4006381333931"]),
        ("EAN 4006381333931", ["4006381333931"]),
        ("4-006381-333931", ["4006381333931"]),
        ("9780804429573", ["0-8044-2957-X", "about 9780804429573"]),
        ("978-0-8044-2957-3", ["0-8044-2957-X"]),
        ("ISBN 0-8044-2957-X", ["0-8044-2957-X"]),
        ("04150049876299", ["PZN 4987629"]),
        ("4 006381 333932", []),
    ],
)
@pytest.mark.parametrize("filters", [{}, {"category": "B"}, {"stock": "low"}, {"moved_since": "2020-01-01"}])
async def test_a_number_is_found_in_another_spelling(
    client: Client, search: str, found: list[str], filters: dict[str, str]
) -> None:
    """As a scan finds it, before products whose texts contain it, and among those of the other filters."""
    texts = {"category": "B", "description": "x", "minimum_level": 5, "initial_level": 1}
    ids = []
    for code in ("4006381333931", "about 9780804429573", "0-8044-2957-X", "PZN 4987629"):
        response = await client.post("/api/products", json={"product_code": code, **texts})
        ids.append((await response.json())["data"]["id"])
    try:
        assert await _codes(client, search=search, **filters) == found
        assert await _codes(client, search=search, **{**filters, "category": "x"}) == []
    finally:
        for number in ids:
            await client.delete(f"/api/products/{number}")


async def test_a_search_follows_its_products(client: Client) -> None:
    """A changed description is found by its new words alone, and a deleted product not at all."""
    await _create(client, "A-1", description="Crème brûlée")
    assert await _codes(client, search="brulee creme") == ["A-1"]
    assert (await client.put("/api/products/1", json={"description": "Purée"})).status == 200
    assert await _codes(client, search="creme") == []
    assert await _codes(client, search="PUREE") == ["A-1"]
    assert (await client.delete("/api/products/1")).status == 200
    assert await _codes(client, search="puree") == []


async def test_a_search_for_many_words_is_refused(client: Client, problems: Any) -> None:
    """The message says how many there are, and how many there may be; a repeated word counts once."""
    words = [f"w{number}" for number in range(33)]
    refused = await problems(await client.get("/api/products", params={"search": " ".join(words)}))
    assert refused == {"search": "33 words; a search has at most 32"}
    assert await _codes(client, search=" ".join([*words[:32], "W1"])) == []


async def test_a_search_counts_its_hits_and_pages_through_them(client: Client) -> None:
    """Pages of hits are ordered by id, and the total is that of the hits."""
    for number in range(7):
        await _create(client, f"{'bolt' if number % 2 else 'nut'}-{number}")
    query = {"search": "BOLT-", "limit": "2"}
    reply = [await (await client.get("/api/products", params={**query, "page": page})).json() for page in "123"]
    assert [[product["id"] for product in page["data"]] for page in reply] == [[2, 4], [6], []]
    assert [page["pagination"]["total"] for page in reply] == [3, 3, 3]


async def test_a_start_indexes_what_the_last_run_has_left(make_client: Any, database_file: Path, until: Any) -> None:
    """Products that are not indexed yet are found from the first request on, and are indexed in the background."""
    await (await make_client()).close()

    def run(statement: str) -> list[tuple[int]]:
        with closing(sqlite3.connect(database_file, timeout=10)) as connection, connection:
            return connection.execute(statement).fetchall()

    now = "2023-11-14T22:13:20.000Z"
    run(f"INSERT INTO products VALUES (3, 'X', 'Bolt', '', 'pcs', '{now}', '{now}', 'x', 'bolt', NULL, '{{}}')")  # noqa: S608 - a constant
    assert await _codes(await make_client(), search="bolt") == ["X"]
    await until(lambda: run("SELECT upto FROM indexed_products") == [(3,)])


async def test_a_category_is_exact_and_joins_the_search(client: Client) -> None:
    """The filter compares the whole category with its case; both filters must match."""
    await _create(client, "A-1", category="Pens")
    await _create(client, "A-2", category="pens")
    await _create(client, "A-3", category="Pens", description="red")
    await _create(client, "A-4")
    assert await _codes(client, category="Pens") == ["A-1", "A-3"]
    assert await _codes(client, category="Pens", search="RED") == ["A-3"]
    assert await _codes(client, category="") == ["A-4"]
    assert await _codes(client, category="Pen") == []


@sweep("query", ["search=%ED%A0%80", "search=%FF", "category=%00", "category=%ED%A0%80", "search=%"])
async def test_bytes_that_are_no_text_find_nothing(shop: Client, query: str) -> None:
    """Broken percent-encoding neither fails nor matches."""
    assert (await (await shop.get(f"/api/products?{query}")).json())["data"] == []


async def test_a_product_has_defaults(client: Client, standing_clock: Any) -> None:
    """Without category, unit and levels a product gets "", "pcs" and zeros, and no history."""
    standing_clock.advance(0.5)
    reply = await (await client.post("/api/products", json=DRAFT)).json()
    assert reply["data"]["category"] == ""
    assert reply["data"]["unit_of_measure"] == "pcs"
    assert reply["data"]["created_at"] == reply["data"]["updated_at"] == "2023-11-14T22:13:20.500Z"
    level = await _level(client, 1)
    assert [level["current_level"], level["minimum_level"], level["maximum_level"]] == [0, 0, 0]
    assert (await (await client.get("/api/inventory/1/history")).json())["data"] == []


async def test_texts_lose_white_space_and_line_breaks(client: Client) -> None:
    """Surrounding white space is removed, a line break inside becomes one space."""
    response = await client.post("/api/products", json={**DRAFT, "description": "  Red \r\n pen\t", "category": "\n"})
    reply = (await response.json())["data"]
    assert (reply["description"], reply["category"]) == ("Red pen", "")


NO_LEVELS: Sequence[object] = (-1, 2**53, 1.0, 1.5, "1", True, None, [], 10**30)
WRONG: dict[str, Sequence[object]] = {
    "product_code": ("", "a" * 65, "ä", "a\x00", "a\tb", "\x7f", 1, None, True),
    "description": ("", "  ", "d" * 501, "a\x00b", "a\x1bb", 1, None, ["x"]),
    "category": ("c" * 65, "a\x07", None, 5, {}),
    "unit_of_measure": ("c" * 65, "a\x07", None, 5),
    "initial_level": NO_LEVELS,
    "minimum_level": NO_LEVELS,
    "maximum_level": NO_LEVELS,
}


@sweep("field", WRONG)
async def test_a_wrong_field_is_named_and_nothing_created(client: Client, problems: Any, field: str) -> None:
    """Every rule of a product's fields is enforced, and reported with the field's name."""
    for wrong in WRONG[field]:
        response = await client.post("/api/products", json={**DRAFT, field: wrong})
        assert list(await problems(response)) == [field], wrong
    assert await _codes(client) == []


async def test_the_greatest_values_fit(client: Client) -> None:
    """Texts of full length in any script and levels up to 2^53-1 are returned as they were sent."""
    sent = {"product_code": "~" * 64, "description": "\N{GRINNING FACE}" * 500, "category": "ß" * 64}
    levels = {"initial_level": MAX_LEVEL, "minimum_level": MAX_LEVEL, "maximum_level": MAX_LEVEL}
    response = await client.post("/api/products", json={**sent, **levels})
    product = (await response.json())["data"]
    assert {name: product[name] for name in sent} == sent
    assert (await _level(client, 1))["current_level"] == MAX_LEVEL


async def test_all_problems_of_a_product_are_reported_at_once(client: Client, refused: Any) -> None:
    """One response names every wrong, missing and unknown field, with the value if it is short."""
    body = {"product_code": "\0x", "category": 5, "minimum_level": -1, "colour": "red", "unit_of_measure": "u" * 200}
    reply = await refused(await client.post("/api/products", json=body), 400, "VALIDATION_ERROR")
    values = {problem["field"]: problem.get("value") for problem in reply["details"]["errors"]}
    assert values == {**body, "description": None, "unit_of_measure": None}
    assert reply["message"].endswith("(and 5 more)")


async def test_a_maximum_below_the_minimum_is_refused(client: Client, refused: Any) -> None:
    """The two levels must be consistent; a maximum of 0 means that none is set."""
    response = await client.post("/api/products", json={**DRAFT, "minimum_level": 5, "maximum_level": 4})
    assert "maximum_level 4 is below minimum_level 5" in (await refused(response, 400, "VALIDATION_ERROR"))["message"]
    await _create(client, "A-1", minimum_level=5, maximum_level=0)


async def test_codes_differ_by_case(client: Client) -> None:
    """Uniqueness is exact."""
    assert [await _create(client, code) for code in ("ab", "AB", "a b")] == [1, 2, 3]


@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(code=st.text(ASCII, min_size=1, max_size=64))
async def test_any_printable_code_is_kept(client: Client, code: str) -> None:
    """Any printable ASCII code is returned as it was sent, or exists already."""
    response = await client.post("/api/products", json={"product_code": code, "description": "x"})
    reply = await response.json()
    assert reply["data"]["product_code"] == code if response.status == 201 else response.status == 409


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Black pen"},
        {"category": ""},
        {"unit_of_measure": "box"},
        {"description": "d", "category": "c", "unit_of_measure": "u"},
        {"product_code": "A-1", "category": "c"},
    ],
)
async def test_an_update_changes_what_it_names(shop: Client, standing_clock: Any, change: dict[str, str]) -> None:
    """The response is the whole product with the named fields changed and a new updated_at."""
    before = (await (await shop.get("/api/products/1")).json())["data"]
    standing_clock.advance(1)
    after = (await (await shop.put("/api/products/1", json=change)).json())["data"]
    assert after == {**before, **change, "updated_at": "2023-11-14T22:13:21.000Z"}
    assert (await (await shop.get("/api/products/1")).json())["data"] == after


async def test_an_update_sets_the_levels_bounds(shop: Client) -> None:
    """Minimum and maximum change with the product; the level and its history do not."""
    await shop.put("/api/products/1", json={"minimum_level": 9, "maximum_level": 20})
    level = await _level(shop, 1)
    assert (level["current_level"], level["minimum_level"], level["maximum_level"]) == (5, 9, 20)
    assert len((await (await shop.get("/api/inventory/1/history")).json())["data"]) == 1


@sweep(
    ("change", "field"),
    [
        ({}, "body"),
        ({"product_code": "A-1"}, "body"),
        ({"product_code": "A-2", "category": "x"}, "product_code"),
        ({"product_code": "a-1", "category": "x"}, "product_code"),
        ({"description": ""}, "description"),
        ({"description": None}, "description"),
        ({"minimum_level": 10}, "maximum_level"),
        ({"maximum_level": 1}, "maximum_level"),
        ({"initial_level": 1}, "initial_level"),
        ({"id": 1}, "id"),
    ],
)
async def test_an_update_that_cannot_be_is_refused(shop: Client, problems: Any, change: Any, field: str) -> None:
    """No changes, another code, contradictory levels and unknown fields are named, and nothing changes."""
    before = await (await shop.get("/api/products/1")).json()
    assert list(await problems(await shop.put("/api/products/1", json=change))) == [field]
    assert await (await shop.get("/api/products/1")).json() == before


@sweep(
    ("change", "rule"),
    [
        ({"category": "\0"}, "characters"),
        ({"maximum_level": 1}, "order"),
        ({"attributes": {f"name_{number}": "x" for number in range(33)}}, "too many"),
    ],
)
async def test_a_refused_field_has_the_rule_that_it_breaks(shop: Client, refused: Any, change: Any, rule: str) -> None:
    """A program says in its own words what is wrong, wherever the service noticed it."""
    reply = await refused(await shop.put("/api/products/1", json=change), 400, "VALIDATION_ERROR")
    assert [problem["rule"] for problem in reply["details"]["errors"]] == [rule]


async def test_a_bad_id_and_a_bad_body_are_reported_together(shop: Client, problems: Any) -> None:
    """Problems of path and body are reported together."""
    assert set(await problems(await shop.put("/api/products/x", json={"category": 1}))) == {"id", "category"}
    assert set(await problems(await shop.delete("/api/products/x?force=1"))) == {"id", "force"}


async def test_deleting_takes_level_and_history_along(shop: Client) -> None:
    """Nothing remains of a deleted product, its code is free, and its id is not used again."""
    assert (await shop.delete("/api/products/1")).status == 200
    assert (await shop.get("/api/products/1")).status == 404
    assert (await shop.get("/api/inventory/1/history")).status == 404
    assert (await (await shop.get("/api/inventory")).json())["data"] == []
    assert await _create(shop, "A-1") == 2
