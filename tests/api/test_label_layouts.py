"""Layouts of labels in requests and saved under a name, and the files of labels: PDF, pictures and ZPL."""

import io
from typing import Any

import pypdfium2
import pytest
import zxingcpp
from PIL import Image
from yarl import URL
from zebrafy.zebrafy_zpl import ZebrafyZPL

from barcodesvc.labels.sheets import SHEETS
from tests.api.replies import problems
from tests.fixture_types import Client
from tests.sweeps import sweep

LAYOUTS, PRINTABLE = "/api/codes/layouts", "/api/codes/printable"
TYPES = {"pdf": "application/pdf", "png": "image/png", "zpl": "application/vnd.zebra-zpl"}
ROLL = {"sheet": "50x30mm", "dpi": 203}
SHELF = {"sheet": "L7165", "include_description": True, "lines": ["Aisle 7"]}


async def _printed(client: Client, products: list[Any], layout: object, **body: Any) -> bytes:
    response = await client.post(PRINTABLE, json={"products": products, "layout": layout, **body})
    assert response.status == 200, await response.text()
    assert response.content_type == TYPES[body.get("output", "pdf")]
    return await response.read()


def _codes(pdf: bytes) -> list[str]:
    """Return what a scanner reads on the first page, row by row."""
    image = pypdfium2.PdfDocument(pdf)[0].render(scale=300 / 72, grayscale=True).to_pil()
    found = zxingcpp.read_barcodes(image)
    found.sort(key=lambda code: (round(code.position.top_left.y, -2), code.position.top_left.x))
    return [code.text for code in found]


def _text(picture: Image.Image) -> str:
    (found,) = zxingcpp.read_barcodes(picture.convert("L"))
    return found.text


async def test_every_sheet_in_the_list_is_what_its_measures_are(client: Client) -> None:
    """A row of the list, used as a layout without its name, produces the same sheet as its name."""
    listed = (await (await client.get("/api/codes/sheets")).json())["data"]
    assert [row["sheet"] for row in listed] == list(SHEETS)
    for row in listed:
        measures = {field: value for field, value in row.items() if field != "sheet"}
        named = await _printed(client, ["A-1"], {"sheet": row["sheet"]})
        assert await _printed(client, ["A-1"], measures) == await _printed(client, ["A-1"], row) == named


async def test_a_roll_is_one_label_a_page(client: Client) -> None:
    """A sheet that is named by its size has a page per label."""
    document = pypdfium2.PdfDocument(await _printed(client, ["A-1", "A-2"], {"sheet": "100x50mm"}))
    assert len(document) == 2
    assert document[0].get_size() == pytest.approx((100 * 72 / 25.4, 50 * 72 / 25.4), abs=0.01)


async def test_copies_are_of_the_layout_or_of_the_product(client: Client) -> None:
    """A product's number overrides the layout's, and its copies are consecutive."""
    products = ["A-1", {"code": "B-2", "copies": 3}, {"code": "C-3"}, {"code": "D-4", "copies": 1}]
    pdf = await _printed(client, products, {"copies": 2, "start_position": 5})
    assert _codes(pdf) == ["A-1"] * 2 + ["B-2"] * 3 + ["C-3"] * 2 + ["D-4"]


async def test_more_of_a_product_and_lines_of_ones_own_stand_below_the_code(shop: Client) -> None:
    """Description, category, unit and custom lines, in this order, one per line; lines alone need no product."""
    more = {"include_description": True, "include_category": True, "include_unit": True}
    for code, layout, lines in (
        (
            "A-1",
            {"sheet": "L7165", **more, "lines": ["Aisle 7", " Ω-Σ "]},
            ["Blue pen", "Pens", "box", "Aisle 7", "Ω-Σ"],
        ),
        ("ZZ", {"lines": ["Aisle 7"]}, ["Aisle 7"]),
    ):
        page = pypdfium2.PdfDocument(await _printed(shop, [code], layout))[0]
        assert page.get_textpage().get_text_range().split("\r\n") == [code, *lines]


async def test_products_that_are_missing_are_all_named(shop: Client) -> None:
    """Products that are looked up must exist."""
    body = {"products": ["A-1", "N-1", "N-2"], "layout": {"include_unit": True}}
    response = await shop.post(PRINTABLE, json=body)
    assert response.status == 404
    assert (await response.json())["details"]["missing"] == ["N-1", "N-2"]


async def test_the_same_request_gives_the_same_document_until_a_date_is_asked_for(client: Client) -> None:
    """A document contains its date only if that is requested."""
    assert await _printed(client, ["A-1"], {}) == await _printed(client, ["A-1"], {})
    dated = pypdfium2.PdfDocument(await _printed(client, ["A-1"], {"dated": True}))
    assert dated.get_metadata_dict(skip_empty=True)["CreationDate"] == "D:20231114221320Z"


async def test_a_picture_shows_one_page(client: Client) -> None:
    """On a roll each label is a page, a pixel for each dot of the printer."""
    picture = Image.open(io.BytesIO(await _printed(client, ["A-1", "B-2"], ROLL, output="png", page=2)))
    assert (picture.format, picture.size, _text(picture)) == ("PNG", (400, 240), "B-2")


async def test_zpl_has_a_label_for_each_product(client: Client) -> None:
    """Copies are the printer's work, and settings are sent only if they are given."""
    plain = await _printed(client, [{"code": "A-1", "copies": 3}, "B-2"], ROLL, output="zpl")
    labels = ZebrafyZPL(plain.decode()).to_images()
    assert [_text(label) for label in labels] == ["A-1", "B-2"]
    assert [plain.count(each) for each in (b"^PQ3^XZ", b"^PQ1^XZ", b"^PW400^LL240", b"^JZN")] == [1, 1, 2, 2]
    assert not any(command in plain for command in (b"~SD", b"^PR", b"^MN"))
    settings = {"darkness": 7, "speed": 4, "media": "mark", "graphics": "acs", "rotate": 180}
    zpl = await _printed(client, ["A-1"], ROLL | settings, output="zpl")
    assert zpl.startswith(b"~SD07\n^XA")
    assert b"^MNM^PR4" in zpl
    assert b":Z64:" not in zpl
    (turned,) = ZebrafyZPL(zpl.decode()).to_images()
    assert turned.transpose(Image.Transpose.ROTATE_180).tobytes() == labels[0].tobytes()


HUGE = {"sheet": "1200x1200mm", "dpi": 2400}


@sweep(
    ("body", "field", "expected"),
    [
        ({"layout": {"sheet": "L7161"}}, "layout.sheet", "no such sheet; did you mean"),
        ({"layout": {"sheet": "L7160", "labels_per_row": 4}}, "layout.labels_per_row", "sheet L7160 has 3, not 4"),
        ({"layout": {"sheet": "L7160", "page_size": "A5"}}, "layout.page_size", "sheet L7160 is 210 x 297 mm"),
        ({"layout": {"sheet": "L7160", "start_position": 22}}, "layout.start_position", "the sheet has 21 labels"),
        ({"layout": {"label_width": 70, "margin_top": 200}}, "layout.margin_top", "would be -103 mm"),
        ({"layout": {"sheet": "60x30mm", "offset_x": 20}}, "layout.offset_x", "mm on a page of"),
        ({"layout": {"sheet": "L7160", "offset_y": 18}}, "layout.offset_y", "mm on a page of"),
        ({"layout": {"offset_x": 21}}, "layout.offset_x", "less than or equal to 20"),
        ({"layout": {"scale": 2}}, "layout.scale", "less than or equal to 1.1"),
        ({"layout": {"dpi": 72}}, "layout.dpi", "greater than or equal to 150"),
        ({"layout": {"copies": 0}}, "layout.copies", "greater than or equal to 1"),
        ({"layout": {"lines": ["x"] * 6}}, "layout.lines", "at most 5"),
        ({"layout": {"lines": ["a\u0000"]}}, "layout.lines.0", "control character"),
        ({"layout": {"name": "ä"}}, "layout.name", ""),
        ({"layout": {"name": 7}}, "layout.name", ""),
        ({"layout": ".."}, "layout.name", ""),
        ({"layout": {"copies": 5001}}, "products", "10002 labels with all copies; at most 10000"),
        ({"output": "png", "page": 3, "layout": ROLL}, "page", "the labels have 2 pages"),
        ({"output": "zpl"}, "output", "100x50mm"),
        ({"output": "zpl", "layout": {"sheet": "L7160"}}, "output", "100x50mm"),
        ({"output": "png", "layout": HUGE}, "layout.dpi", "the page has 12856 million dots at 2400 dpi; at most 80"),
        ({"output": "zpl", "layout": HUGE}, "layout.dpi", "the page has 12856 million dots at 2400 dpi; at most 80"),
    ],
)
async def test_what_cannot_be_is_refused_by_name(
    client: Client, body: dict[str, Any], field: str, expected: str
) -> None:
    """The message names the field and says what would be valid."""
    found = await problems(await client.post(PRINTABLE, json={"products": ["A-1", "B-2"], **body}))
    assert expected in found[field]


@sweep(
    ("products", "expected"),
    [
        ([{"code": "ä"}], {"products.0.code": ""}),
        ([{"code": "A", "copies": 0, "x": 1}, 3], {"products.0.copies": "", "products.0.x": "", "products.1": ""}),
        (["", "A", {}], {"products.0": "", "products.2.code": ""}),
        (["A", {"code": "B", "copy": 2}], {"products.1.copy": "no such field; there are code, copies, values"}),
        ([{"code": "4006381333931", "copies": 3}, "4006381333931", "ABC", "ABC"], {"products.2": "EAN13"}),
    ],
)
async def test_every_product_that_is_no_product_is_named(
    client: Client, products: list[Any], expected: dict[str, str]
) -> None:
    """A bare code is validated as a whole, an object field by field, and each is named where it is in the list."""
    body = {"products": products, "code_type": "EAN13" if len(products) == 4 else "CODE128"}
    found = await problems(await client.post(PRINTABLE, json=body))
    assert found.keys() == expected.keys()
    assert all(expected[field] in message for field, message in found.items())


async def test_a_file_of_too_many_bytes_is_refused(client: Client) -> None:
    """It is held whole, and uncompressed labels can take 20 MB each."""
    layout = {"sheet": "370x370mm", "dpi": 600, "graphics": "hex"}
    body = {"products": [f"A-{number}" for number in range(6)], "output": "zpl", "layout": layout}
    found = await problems(await client.post(PRINTABLE, json=body))
    assert found == {"products": "the file has more than 100 MB; print fewer labels at a time"}


async def test_no_label_is_sent_if_one_cannot_be_printed(client: Client) -> None:
    """The refusal names it, however late in the run it is."""
    body = {"products": ["4006381333931"] * 50 + ["X" * 60], "output": "zpl", "layout": ROLL}
    response = await client.post(PRINTABLE, json=body)
    assert response.status == 400
    assert "X" * 60 in await response.text()


@pytest.fixture
async def saved(shop: Client) -> Client:
    """Return a client of a shop with a layout `shelf`."""
    response = await shop.put(f"{LAYOUTS}/shelf", json=SHELF)
    assert response.status == 200, await response.text()
    return shop


async def test_a_layout_is_saved_read_listed_and_deleted(saved: Client) -> None:
    """It comes back with the fields that were sent, and is gone once it is deleted."""
    shelf = {"name": "shelf", "layout": SHELF, "updated_at": "2023-11-14T22:13:20.000Z"}
    assert (await (await saved.get(f"{LAYOUTS}/shelf")).json())["data"] == shelf
    assert (await (await saved.get(LAYOUTS)).json())["data"] == [shelf]
    assert (await saved.delete(f"{LAYOUTS}/shelf")).status == 200
    for response in (
        await saved.get(f"{LAYOUTS}/shelf"),
        await saved.delete(f"{LAYOUTS}/shelf"),
        await saved.post(PRINTABLE, json={"products": ["A-1"], "layout": "shelf"}),
    ):
        refused = await response.json()
        assert (response.status, refused["code"]) == (404, "VALIDATION_ERROR")
        assert refused["details"] == {"reason": "not_found", "resource": "layout", "name": "shelf"}


@pytest.mark.parametrize(("page", "kept"), [("a5", "A5"), ("62.70x100mm", "62.7x100mm")])
async def test_a_page_keeps_its_name(client: Client, page: str, kept: str) -> None:
    """A page size comes back in the spelling of the documentation."""
    response = await client.put(f"{LAYOUTS}/page", json={"page_size": page})
    assert (await response.json())["data"]["layout"] == {"page_size": kept}


async def test_a_request_prints_with_a_saved_layout(saved: Client) -> None:
    """By its name, or as an object with its name; fields that are sent replace those that are saved, this once."""
    changes = {"start_position": 4, "lines": [], "include_description": False}
    changed = await _printed(saved, ["A-1"], {"name": "shelf", **changes})
    assert changed == await _printed(saved, ["A-1"], {**SHELF, **changes})
    whole = await _printed(saved, ["A-1"], SHELF)
    assert await _printed(saved, ["A-1"], "shelf") == await _printed(saved, ["A-1"], {"name": "shelf"}) == whole


async def test_what_contradicts_a_saved_layout_is_refused(saved: Client) -> None:
    """The layout is checked as a whole after the changes."""
    body = {"products": ["A-1"], "layout": {"name": "shelf", "labels_per_row": 5}}
    found = await problems(await saved.post(PRINTABLE, json=body))
    assert "sheet L7165 has 2, not 5" in found["layout.labels_per_row"]


@pytest.mark.parametrize(
    ("name", "layout", "fields"),
    [
        ("%2e%2e", {}, {"name"}),
        ("a%2Fb", {}, {"name"}),
        ("x" * 65, {}, {"name"}),
        ("%C3%A4", {"copies": 0}, {"name", "copies"}),
        ("a", {"sheet": "L7160", "start_position": 22}, {"start_position"}),
        ("a", {"sheet": "nothing"}, {"sheet"}),
        ("a", {"label_width": 70, "margin_top": 200}, {"margin_top"}),
        ("a", {"sheet": "60x30mm", "offset_x": 20}, {"offset_x"}),
        ("a", {"name": "b"}, {"name"}),
        ("a?x=1", {"font_size": "8"}, {"x", "font_size"}),
    ],
)
async def test_a_layout_is_checked_as_a_whole(
    client: Client, name: str, layout: dict[str, Any], fields: set[str]
) -> None:
    """What cannot be printed is not saved; fields are named as the body has them, next to those of the address."""
    assert set(await problems(await client.put(URL(f"{LAYOUTS}/{name}", encoded=True), json=layout))) == fields
    assert (await (await client.get(LAYOUTS)).json())["data"] == []


async def test_a_layout_of_thousands_of_names_is_refused(client: Client) -> None:
    """The first of them are reported."""
    response = await client.put(f"{LAYOUTS}/a", json={f"x{number}": 1 for number in range(900)})
    assert response.status == 400
    assert (await response.json())["details"]["errors_truncated"] is True
    response = await client.post(PRINTABLE, json={"products": ["A"], "layout": {f"x{n}": 1 for n in range(10_000)}})
    assert response.status == 400
