"""Attributes of products over HTTP: what products may have, how a change merges them, who shows and finds them."""

import asyncio
from typing import Any

import pytest

from tests.api.drawn_codes import drawn
from tests.fixture_types import Client
from tests.sweeps import sweep

PRICED = {"price": "2.99", "shelf": "B 4"}


async def created(client: Client, code: str, attributes: Any) -> tuple[int, dict[str, Any]]:
    """Create a product, and return the status and the response."""
    body = {"product_code": code, "description": "x", "attributes": attributes}
    response = await client.post("/api/products", json=body)
    return response.status, await response.json()


async def changed(client: Client, product_id: int, attributes: Any) -> tuple[int, dict[str, Any]]:
    """Change the attributes of a product, and return the status and the response."""
    response = await client.put(f"/api/products/{product_id}", json={"attributes": attributes})
    return response.status, await response.json()


async def product(client: Client, code: str, **attributes: str) -> int:
    """Create a product with attributes, and return its id."""
    status, reply = await created(client, code, attributes)
    assert status == 201, reply
    return int(reply["data"]["id"])


async def read(client: Client, address: str) -> Any:
    """Return the data at an address."""
    return (await (await client.get(address)).json())["data"]


async def found(client: Client, search: str) -> list[str]:
    """Return the codes of the products that a search finds, in order."""
    response = await client.get("/api/products", params={"search": search})
    return [one["product_code"] for one in (await response.json())["data"]]


def problems(reply: dict[str, Any]) -> dict[str, str]:
    """Return the messages of a refusal by field."""
    return {problem["field"]: problem["message"] for problem in reply["details"]["errors"]}


def names(first: int, number: int) -> dict[str, str]:
    """Return attributes with so many different names."""
    return {f"name_{n}": "x" for n in range(first, first + number)}


async def test_attributes_are_returned_wherever_the_product_is(client: Client) -> None:
    """The created product, the read one, lists of each kind and scans have them, as an empty object without any."""
    _, reply = await created(client, "A-1", {"shelf": " B\n4 ", "price": "2.99"})
    assert reply["data"]["attributes"] == PRICED
    await product(client, "A-2")
    assert (await read(client, f"/api/products/{reply['data']['id']}"))["attributes"] == PRICED
    for query in ("", "?search=a", "?search=a-", "?sort=-description", "?category=", "?include_levels=true"):
        listed = await read(client, f"/api/products{query}")
        assert sorted(str(one["attributes"]) for one in listed) == sorted([str(PRICED), "{}"]), query
    for path in ("decode", "scan"):
        assert (await drawn(client, path, code_data="A-1"))["product"]["attributes"] == PRICED


async def test_the_names_that_products_have_are_listed(client: Client) -> None:
    """Sorted, and each as long as a product has it."""
    number = await product(client, "A-1", **PRICED)
    await product(client, "B-1", price="1", brand="Best")
    assert await read(client, "/api/products/attributes") == ["brand", "price", "shelf"]
    await changed(client, number, {"shelf": None, "price": None})
    assert await read(client, "/api/products/attributes") == ["brand", "price"]


async def test_a_change_sets_and_removes_single_attributes(client: Client) -> None:
    """What is named is set, or removed with null; the others stay, and a change of something else changes none."""
    number = await product(client, "A-1", **PRICED)
    _, reply = await changed(client, number, {"price": "3.49", "brand": 'Ünïcode "&" 笔', "shelf": None, "gone": None})
    assert reply["data"]["attributes"] == {"brand": 'Ünïcode "&" 笔', "price": "3.49"}
    await client.put(f"/api/products/{number}", json={"description": "new"})
    assert (await read(client, f"/api/products/{number}"))["attributes"] == reply["data"]["attributes"]
    assert (await changed(client, number, {}))[1]["data"]["attributes"] == reply["data"]["attributes"]
    assert (await changed(client, number, {"brand": None, "price": None}))[1]["data"]["attributes"] == {}


async def test_a_repeated_scan_has_the_new_attributes(client: Client) -> None:
    """The responses to repeated scans are cached, and a change of attributes ends that."""
    number = await product(client, "A-1", price="1.00")
    for price in ("2.00", "3.00"):
        await changed(client, number, {"price": price})
        found = [(await drawn(client, "decode", code_data="A-1"))["product"] for _ in range(3)]
        assert [one["attributes"] for one in found] == [{"price": price}] * 3


@sweep(
    ("attributes", "field"),
    [
        ({"Price": "1"}, "attributes.Price"),
        ({"": "1"}, "attributes."),
        ({"a" * 33: "1"}, f"attributes.{'a' * 33}"),
        ({"prix_é": "1"}, "attributes.prix_é"),
        ({"a\n": "1"}, "attributes.a\n"),
        ({"price": "x" * 201}, "attributes.price"),
        ({"price": " \u200b"}, "attributes.price"),
        ({"price": "a\0b"}, "attributes.price"),
        ({"price": 2.99}, "attributes.price"),
        ({"price": {"price": {"price": "1"}}}, "attributes.price"),
        ({"price": None}, "attributes.price"),
        (names(0, 33), "attributes"),
        (names(0, 3000), "attributes"),
        ([["price", "1"]], "attributes"),
        ("price", "attributes"),
        (None, "attributes"),
    ],
)
async def test_wrong_attributes_are_refused_by_name(client: Client, attributes: Any, field: str) -> None:
    """Names are 1 to 32 of a-z, 0-9 and _, values 1 to 200 visible characters, and there are at most 32."""
    status, reply = await created(client, "A-1", attributes)
    assert (status, list(problems(reply))) == (400, [field])
    assert await read(client, "/api/products") == []


async def test_deeply_nested_attributes_are_refused(client: Client) -> None:
    """A body of a thousand levels is a 400 like any other wrong one."""
    body = '{"product_code":"A-1","description":"x","attributes":' + '{"a":' * 10_000 + "1" + "}" * 10_001
    response = await client.post("/api/products", data=body, headers={"Content-Type": "application/json"})
    assert response.status == 400


async def test_a_product_takes_the_longest_attributes(client: Client) -> None:
    """32 attributes of the longest names and values are stored, listed and scanned again and again."""
    full = {f"{n:02}".ljust(32, "n"): "笔" * 200 for n in range(32)}
    number = await product(client, "A-1", **full)
    assert (await read(client, f"/api/products/{number}"))["attributes"] == full
    assert [(await drawn(client, "decode", code_data="A-1"))["product"]["attributes"] for _ in range(3)] == [full] * 3


async def test_a_change_does_not_exceed_32_attributes(client: Client) -> None:
    """A change that adds one too many is refused and changes nothing; one that removes another as well is not."""
    number = await product(client, "A-1", **names(0, 32))
    status, reply = await changed(client, number, {"more": "x"})
    assert (status, problems(reply)) == (400, {"attributes": "would be 33 attributes; a product has at most 32"})
    assert (await read(client, f"/api/products/{number}"))["attributes"] == names(0, 32)
    assert (await changed(client, number, {"more": "x", "name_0": None}))[0] == 200
    replaced = {**dict.fromkeys(["more", *names(1, 31)]), **names(100, 32)}
    assert (await changed(client, number, replaced))[1]["data"]["attributes"] == names(100, 32)
    assert (await changed(client, number, names(200, 65)))[0] == 400


@pytest.mark.each_engine
async def test_a_catalogue_has_200_different_names(client: Client) -> None:
    """A product with the 201st name is refused; once no product has one of the 200 any more, another can be added."""
    numbers = [await product(client, f"A-{n}", **names(n * 25, 25)) for n in range(8)]
    assert (await created(client, "A-1", {"one_more": "x"}))[0] == 409  # a duplicate first of all
    for attempt in (created(client, "B-1", {"one_more": "x"}), changed(client, numbers[0], {"one_more": "x"})):
        status, reply = await attempt
        assert (status, list(problems(reply))) == (400, ["attributes"])
        assert "one_more" in problems(reply)["attributes"]
    await product(client, "B-2", name_0="another value of a name in use")
    await changed(client, numbers[0], {"name_0": None})
    assert (await created(client, "B-1", {"one_more": "x"}))[0] == 400
    await changed(client, numbers[0], {"name_1": None})
    await product(client, "B-1", one_more="x")
    await client.delete(f"/api/products/{numbers[1]}")
    await product(client, "B-3", **names(300, 25))


@pytest.mark.each_engine
async def test_names_that_come_at_once_do_not_exceed_the_limit(client: Client) -> None:
    """Of ten products that bring a name each while there is room for three, three are created."""
    for n in range(8):
        await product(client, f"A-{n}", **names(n * 25, 25 if n else 22))
    outcomes = await asyncio.gather(*(created(client, f"B-{n}", {f"new_{n}": "x"}) for n in range(10)))
    assert sorted(status for status, _ in outcomes) == [201] * 3 + [400] * 7


async def test_words_are_spread_over_code_description_and_attributes(client: Client) -> None:
    """Each word is somewhere, without regard to case and accents; no word reaches from one text into the next."""
    await product(client, "A-1", maker="Crème & Söhne", shelf="B 4")
    await product(client, "A-2", maker="other", shelf="B 5")
    for search in ("creme", "SOHNE", "cre b 4", "4 x söhne a-1", "rèm", "4"):
        assert await found(client, search) == ["A-1"], search
    for search in ("sohneb", "xcreme", "creme 5", "maker", "shelf"):
        assert await found(client, search) == [], search


@pytest.mark.each_engine
async def test_a_search_follows_each_change(client: Client) -> None:
    """An attribute is found once it is set, no more once it is replaced or removed; others and the description stay."""
    number = await product(client, "A-1", shelf="Nord 4")
    await changed(client, number, {"brand": "Müller"})
    assert await found(client, "muller nord x") == ["A-1"]
    await changed(client, number, {"brand": "Schulz"})
    assert [await found(client, word) for word in ("muller", "schulz nord x")] == [[], ["A-1"]]
    await changed(client, number, {"brand": None})
    assert [await found(client, word) for word in ("schulz", "nord x")] == [[], ["A-1"]]
    for body in ({"description": "Lampe"}, {"description": "Lampe", "attributes": {}}, {"category": "Lights"}):
        await client.put(f"/api/products/{number}", json=body)
        assert await found(client, "lampe nord") == ["A-1"]
    await client.put(f"/api/products/{number}", json={"description": "Bulb", "attributes": {"shelf": "Süd"}})
    assert [await found(client, word) for word in ("lampe", "nord", "bulb sud")] == [[], [], ["A-1"]]
