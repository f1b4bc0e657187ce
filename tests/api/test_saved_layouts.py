"""Layouts that are saved under a name, and requests that use or change them."""

from typing import Any

import pytest
from yarl import URL

from tests.fixture_types import Client, Problems

LAYOUTS, PRINTABLE = "/api/codes/layouts", "/api/codes/printable"
SHELF = {"sheet": "L7165", "include_description": True, "lines": ["Aisle 7"]}


@pytest.fixture
async def saved(shop: Client) -> Client:
    """Return a client of a shop with a layout `shelf`."""
    response = await shop.put(f"{LAYOUTS}/shelf", json=SHELF)
    assert response.status == 200, await response.text()
    return shop


async def _pdf(client: Client, layout: object) -> bytes:
    response = await client.post(PRINTABLE, json={"products": ["A-1", "A-1"], "layout": layout})
    assert response.status == 200, await response.text()
    return await response.read()


async def test_a_layout_is_saved_read_listed_and_deleted(saved: Client) -> None:
    """It comes back with the fields that were sent, and is gone once it is deleted."""
    shelf = {"name": "shelf", "layout": SHELF, "updated_at": "2023-11-14T22:13:20.000Z"}
    assert (await (await saved.get(f"{LAYOUTS}/shelf")).json())["data"] == shelf
    assert (await (await saved.get(LAYOUTS)).json())["data"] == [shelf]
    assert (await saved.delete(f"{LAYOUTS}/shelf")).status == 200
    for response in (await saved.get(f"{LAYOUTS}/shelf"), await saved.delete(f"{LAYOUTS}/shelf")):
        assert response.status == 404
        assert (await response.json())["details"] == {"reason": "not_found", "resource": "layout", "name": "shelf"}


@pytest.mark.parametrize(
    ("page", "kept"),
    [("a5", "A5"), ("LEGAL", "Legal"), ("62.70x100mm", "62.7x100mm"), ("1100.125x99mm", "1100.125x99mm")],
)
async def test_a_page_keeps_its_name(client: Client, page: str, kept: str) -> None:
    """A page size comes back in the spelling of the documentation."""
    response = await client.put(f"{LAYOUTS}/page", json={"page_size": page})
    assert (await response.json())["data"]["layout"] == {"page_size": kept}


async def test_a_request_prints_with_a_saved_layout(saved: Client) -> None:
    """By its name, or as an object with its name, the labels are those of the layout itself."""
    whole = await _pdf(saved, SHELF)
    assert await _pdf(saved, "shelf") == await _pdf(saved, {"name": "shelf"}) == whole


async def test_a_request_changes_a_saved_layout(saved: Client) -> None:
    """Fields that are sent replace those that are saved, for this request alone."""
    changed = {**SHELF, "start_position": 4, "lines": [], "include_description": False}
    changes = {"name": "shelf", "start_position": 4, "lines": [], "include_description": False}
    assert await _pdf(saved, changes) == await _pdf(saved, changed)
    assert await _pdf(saved, "shelf") == await _pdf(saved, SHELF)


async def test_a_layout_that_is_not_saved_is_not_found(saved: Client) -> None:
    """The response names it."""
    response = await saved.post(PRINTABLE, json={"products": ["A-1"], "layout": "till"})
    reply = await response.json()
    assert (response.status, reply["code"]) == (404, "VALIDATION_ERROR")
    assert reply["details"] == {"reason": "not_found", "resource": "layout", "name": "till"}


async def test_what_contradicts_a_saved_layout_is_refused(saved: Client, problems: Problems) -> None:
    """The layout is checked as a whole after the changes."""
    body = {"products": ["A-1"], "layout": {"name": "shelf", "labels_per_row": 5}}
    assert (
        "sheet L7165 has 2, not 5" in (await problems(await saved.post(PRINTABLE, json=body)))["layout.labels_per_row"]
    )


@pytest.mark.parametrize(
    ("name", "layout", "field"),
    [
        ("a%20b", {}, "name"),
        ("%2e%2e", {}, "name"),
        ("a%2Fb", {}, "name"),
        ("x" * 65, {}, "name"),
        ("%C3%A4", {}, "name"),
        ("a", {"sheet": "L7160", "start_position": 22}, "start_position"),
        ("a", {"sheet": "nothing"}, "sheet"),
        ("a", {"label_width": 70, "margin_top": 200}, "margin_top"),
        ("a", {"sheet": "60x30mm", "offset_x": 20}, "offset_x"),
        ("a", {"name": "b"}, "name"),
        ("a", {"font_size": "8"}, "font_size"),
        ("a?x=1", {}, "x"),
    ],
)
async def test_a_layout_is_checked_as_a_whole(
    client: Client, problems: Problems, name: str, layout: dict[str, Any], field: str
) -> None:
    """What cannot be printed is not saved; the field is named as the body has it."""
    assert set(await problems(await client.put(URL(f"{LAYOUTS}/{name}", encoded=True), json=layout))) == {field}
    assert (await (await client.get(LAYOUTS)).json())["data"] == []


@pytest.mark.parametrize("layout", ["a b", "", "..", {"name": "ä"}, {"name": 7}])
async def test_a_name_of_a_layout_has_its_characters(client: Client, problems: Problems, layout: object) -> None:
    """Another text is refused before anything is looked up."""
    body = {"products": ["A-1"], "layout": layout}
    assert set(await problems(await client.post(PRINTABLE, json=body))) == {"layout.name"}


async def test_a_layout_of_thousands_of_names_is_refused(client: Client) -> None:
    """The first of them are reported."""
    response = await client.put(f"{LAYOUTS}/a", json={f"x{number}": 1 for number in range(900)})
    assert response.status == 400
    assert (await response.json())["details"]["errors_truncated"] is True
    response = await client.post(PRINTABLE, json={"products": ["A"], "layout": {f"x{n}": 1 for n in range(10_000)}})
    assert response.status == 400


async def test_name_and_body_are_reported_together(client: Client, problems: Problems) -> None:
    """What is wrong in either is named."""
    found = await problems(await client.put(f"{LAYOUTS}/a+b", json={"copies": 0}))
    assert set(found) == {"name", "copies"}
