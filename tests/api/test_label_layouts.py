"""Label sheets by name and by dimensions: cells, copies, and the text on labels."""

from typing import Any

import pypdfium2
import pytest
import zxingcpp

from barcodesvc.labels.label_requests import PrintItem, PrintRequest
from barcodesvc.labels.sheets import SHEETS
from tests.fixture_types import Client, Problems
from tests.sweeps import sweep

PRINTABLE = "/api/codes/printable"


async def _pdf(client: Client, products: list[Any], **layout: Any) -> bytes:
    response = await client.post(PRINTABLE, json={"products": products, "layout": layout})
    assert response.status == 200, await response.text()
    return await response.read()


def _codes(pdf: bytes) -> list[str]:
    """Return what a scanner reads on the first page, row by row."""
    image = pypdfium2.PdfDocument(pdf)[0].render(scale=300 / 72, grayscale=True).to_pil()
    found = zxingcpp.read_barcodes(image)
    found.sort(key=lambda code: (round(code.position.top_left.y, -2), code.position.top_left.x))
    return [code.text for code in found]


def _lines(pdf: bytes) -> list[str]:
    return str(pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_range()).split("\r\n")


async def test_every_sheet_in_the_list_is_what_its_measures_are(client: Client) -> None:
    """A row of the list, used as a layout without its name, produces the same sheet as its name."""
    listed = (await (await client.get("/api/codes/sheets")).json())["data"]
    assert [row["sheet"] for row in listed] == list(SHEETS)
    for row in listed:
        measures = {field: value for field, value in row.items() if field != "sheet"}
        assert await _pdf(client, ["A-1"], sheet=row["sheet"]) == await _pdf(client, ["A-1"], **measures)
        assert await _pdf(client, ["A-1"], **row) == await _pdf(client, ["A-1"], sheet=row["sheet"])


async def test_a_roll_is_one_label_a_page(client: Client) -> None:
    """A sheet that is named by its size has a page per label."""
    document = pypdfium2.PdfDocument(await _pdf(client, ["A-1", "A-2"], sheet="100x50mm"))
    assert len(document) == 2
    assert document[0].get_size() == pytest.approx((100 * 72 / 25.4, 50 * 72 / 25.4), abs=0.01)


async def test_copies_are_of_the_layout_or_of_the_product(client: Client) -> None:
    """A product's number overrides the layout's, and its copies are consecutive."""
    products = ["A-1", {"code": "B-2", "copies": 3}, {"code": "C-3"}]
    assert _codes(await _pdf(client, products, copies=2)) == ["A-1"] * 2 + ["B-2"] * 3 + ["C-3"] * 2


async def test_a_used_sheet_is_printed_from_a_cell_on(client: Client) -> None:
    """Position 5 of three columns is the middle of the second row."""
    pdf = await _pdf(client, ["A-1", "B-2"], sheet="L7160", start_position=5)
    image = pypdfium2.PdfDocument(pdf)[0].render(scale=1, grayscale=True).to_pil()
    first = image.point(lambda grey: 255 * (grey < 128)).getbbox()
    assert _codes(pdf) == ["A-1", "B-2"]
    assert first
    assert first[0] > (7.2 + 66) * 72 / 25.4
    assert first[1] > (15.1 + 38) * 72 / 25.4


async def test_more_of_a_product_and_lines_of_ones_own_stand_below_the_code(shop: Client) -> None:
    """Description, category, unit and custom lines, in this order, one per line."""
    layout = {
        "include_description": True,
        "include_category": True,
        "include_unit": True,
        "lines": ["Aisle 7", " Ω-Σ "],
    }
    assert _lines(await _pdf(shop, ["A-1"], sheet="L7165", **layout)) == [
        "A-1",
        "Blue pen",
        "Pens",
        "box",
        "Aisle 7",
        "Ω-Σ",
    ]
    assert _lines(await _pdf(shop, ["ZZ"], lines=["Aisle 7"])) == ["ZZ", "Aisle 7"]
    assert _lines(await _pdf(shop, ["A-1"], include_unit=True)) == ["A-1", "box"]


@pytest.mark.parametrize("field", ["include_description", "include_category", "include_unit"])
async def test_products_that_are_missing_are_all_named(shop: Client, field: str) -> None:
    """Products that are looked up must exist."""
    response = await shop.post(PRINTABLE, json={"products": ["A-1", "N-1", "N-2"], "layout": {field: True}})
    assert response.status == 404
    assert (await response.json())["details"]["missing"] == ["N-1", "N-2"]


async def test_the_same_request_gives_the_same_document_until_a_date_is_asked_for(client: Client) -> None:
    """A document contains its date only if that is requested."""
    body: dict[str, Any] = {"products": ["A-1"]}
    first, second = [await (await client.post(PRINTABLE, json=body)).read() for _ in range(2)]
    assert first == second
    dated = await client.post(PRINTABLE, json={**body, "layout": {"dated": True}})
    reply = pypdfium2.PdfDocument(await dated.read()).get_metadata_dict(skip_empty=True)
    assert reply["CreationDate"] == "D:20231114221320Z"


@sweep(
    ("layout", "field", "expected"),
    [
        ({"sheet": "L7161"}, "layout.sheet", "no such sheet; did you mean"),
        ({"sheet": "4x5mm"}, "layout.sheet", "each side must be 5 to 1200 mm"),
        ({"sheet": "L7160", "labels_per_row": 4}, "layout.labels_per_row", "sheet L7160 has 3, not 4"),
        ({"sheet": "L7160", "page_size": "A5"}, "layout.page_size", "sheet L7160 is 210 x 297 mm"),
        ({"sheet": "L7160", "start_position": 22}, "layout.start_position", "the sheet has 21 labels"),
        ({"label_width": 70, "margin_top": 200}, "layout.margin_top", "would be -103 mm"),
        ({"label_width": 70, "label_height": 30, "pitch_x": 60}, "layout.pitch_x", "overlap"),
        ({"label_width": 70, "label_height": 30, "labels_per_row": 4}, "layout.labels_per_row", "reach 280 mm"),
        ({"offset_x": 21}, "layout.offset_x", "less than or equal to 20"),
        ({"scale": 2}, "layout.scale", "less than or equal to 1.1"),
        ({"dpi": 72}, "layout.dpi", "greater than or equal to 150"),
        ({"copies": 0}, "layout.copies", "greater than or equal to 1"),
        ({"lines": ["x"] * 6}, "layout.lines", "at most 5"),
        ({"lines": ["a\u0000"]}, "layout.lines.0", "control character"),
        ({"copies": 5001}, "products", "10002 labels with all copies; at most 10000"),
    ],
)
async def test_what_cannot_be_is_refused_by_name(
    client: Client, problems: Problems, layout: dict[str, Any], field: str, expected: str
) -> None:
    """The message names the field and says what would be valid."""
    body = {"products": ["A-1", "B-2"], "layout": layout}
    found = await problems(await client.post(PRINTABLE, json=body))
    assert expected in found[field]


@pytest.mark.parametrize(
    ("products", "fields"),
    [
        ([{"code": "ä"}], {"products.0.code"}),
        ([{"code": "A", "copies": 0, "x": 1}, 3], {"products.0.copies", "products.0.x", "products.1"}),
        (["", "A", {}], {"products.0", "products.2.code"}),
    ],
)
async def test_every_product_that_is_no_product_is_named(
    client: Client, problems: Problems, products: list[Any], fields: set[str]
) -> None:
    """A bare code is validated as a whole, an object field by field."""
    assert set(await problems(await client.post(PRINTABLE, json={"products": products}))) == fields


async def test_an_unknown_field_of_a_product_is_reported_those_there_are(client: Client, problems: Problems) -> None:
    """The known fields are listed, although a product may be a bare code, which has none."""
    reply = await problems(await client.post(PRINTABLE, json={"products": ["A", {"code": "B", "copy": 2}]}))
    assert reply == {"products.1.copy": "no such field; there are code, copies, values"}


def test_a_bare_code_stays_text() -> None:
    """No item object is created for it: that would be most of the work for a sheet that is refused."""
    wanted = PrintRequest.model_validate_json(b'{"products": ["A-1", {"code": "B-2"}]}')
    assert [type(entry) for entry in wanted.products] == [str, PrintItem]


async def test_a_code_that_cannot_be_printed_is_named_where_it_is(client: Client, problems: Problems) -> None:
    """Its position is that in the list that was sent, however many copies precede it."""
    products = [{"code": "4006381333931", "copies": 3}, "4006381333931", "ABC", "ABC"]
    body = {"products": products, "code_type": "EAN13", "layout": {"copies": 4}}
    assert set(await problems(await client.post(PRINTABLE, json=body))) == {"products.2"}


async def test_fewer_copies_than_the_layouts_count_too(client: Client) -> None:
    """A product's number is used even if it is smaller."""
    products = [{"code": "A-1", "copies": 1}, "B-2"]
    assert _codes(await _pdf(client, products, copies=2)) == ["A-1", "B-2", "B-2"]


@pytest.mark.parametrize(
    ("layout", "field"),
    [
        ({"sheet": "60x30mm", "offset_x": 20}, "layout.offset_x"),
        ({"sheet": "L7160", "offset_x": -9}, "layout.offset_x"),
        ({"sheet": "3474", "scale": 1.1}, "layout.offset_x"),
        ({"sheet": "L7160", "offset_y": 18}, "layout.offset_y"),
    ],
)
async def test_labels_that_would_leave_the_page_are_refused(
    client: Client, problems: Problems, layout: dict[str, Any], field: str
) -> None:
    """An offset or a scale that moves print over the edge is refused, with the numbers."""
    found = await problems(await client.post(PRINTABLE, json={"products": ["A-1"], "layout": layout}))
    assert "mm on a page of" in found[field]
