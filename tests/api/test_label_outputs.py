"""Labels as pictures and as ZPL: what is written, and what is refused."""

import io
from typing import Any

import pytest
import zxingcpp
from PIL import Image
from zebrafy.zebrafy_zpl import ZebrafyZPL

from tests.fixture_types import Client

PRINTABLE = "/api/codes/printable"
ROLL = {"sheet": "50x30mm", "dpi": 203}


async def _printed(client: Client, body: dict[str, Any]) -> tuple[str, bytes]:
    response = await client.post(PRINTABLE, json=body)
    assert response.status == 200, await response.text()
    return response.headers["Content-Type"], await response.read()


def _text(picture: Image.Image) -> str:
    (found,) = zxingcpp.read_barcodes(picture.convert("L"))
    return found.text


async def test_a_picture_shows_one_page(client: Client) -> None:
    """On a roll each label is a page, a pixel for each dot of the printer."""
    body = {"products": ["A-1", "B-2"], "output": "png", "page": 2, "layout": ROLL}
    kind, png = await _printed(client, body)
    picture = Image.open(io.BytesIO(png))
    assert (kind, picture.size, _text(picture)) == ("image/png", (400, 240), "B-2")


async def test_a_page_that_is_not_there_is_refused(client: Client, problems: Any) -> None:
    """The refusal says how many there are."""
    body = {"products": ["A-1"], "output": "png", "page": 2, "layout": ROLL}
    response = await client.post(PRINTABLE, json=body)
    assert (response.status, await problems(response)) == (400, {"page": "the labels have one page"})


async def test_zpl_has_a_label_for_each_product(shop: Client) -> None:
    """Copies are the printer's work, and settings are sent only if they are given."""
    products = [{"code": "A-1", "copies": 3}, "B-2"]
    kind, plain = await _printed(shop, {"products": products, "output": "zpl", "layout": ROLL})
    assert kind == "application/vnd.zebra-zpl"
    assert [_text(label) for label in ZebrafyZPL(plain.decode()).to_images()] == ["A-1", "B-2"]
    assert [plain.count(each) for each in (b"^PQ3^XZ", b"^PQ1^XZ", b"^PW400^LL240", b"^JZN")] == [1, 1, 2, 2]
    assert not any(command in plain for command in (b"~SD", b"^PR", b"^MN"))
    settings = {"darkness": 7, "speed": 4, "media": "mark", "graphics": "acs", "rotate": 180}
    _, zpl = await _printed(shop, {"products": ["A-1"], "output": "zpl", "layout": ROLL | settings})
    assert zpl.startswith(b"~SD07\n^XA")
    assert b"^MNM^PR4" in zpl
    assert b":Z64:" not in zpl
    (turned,) = ZebrafyZPL(zpl.decode()).to_images()
    (upright, _) = ZebrafyZPL(plain.decode()).to_images()
    assert turned.transpose(Image.Transpose.ROTATE_180).tobytes() == upright.tobytes()


@pytest.mark.parametrize("layout", [{}, {"sheet": "L7160"}, {"page_size": "100x50mm"}])
async def test_zpl_is_for_rolls(client: Client, problems: Any, layout: dict[str, Any]) -> None:
    """A sheet of several labels cannot be ZPL, and the refusal says what can."""
    response = await client.post(PRINTABLE, json={"products": ["A-1"], "output": "zpl", "layout": layout})
    assert response.status == 400
    assert "100x50mm" in (await problems(response))["output"]


@pytest.mark.parametrize("output", ["png", "zpl"])
async def test_a_page_of_too_many_dots_is_refused(client: Client, problems: Any, output: str) -> None:
    """A byte for each dot would use gigabytes; a PDF has no dots."""
    body = {"products": ["A-1"], "output": output, "layout": {"sheet": "1200x1200mm", "dpi": 2400}}
    response = await client.post(PRINTABLE, json=body)
    assert response.status == 400
    assert (await problems(response))["layout.dpi"] == "the page has 12856 million dots at 2400 dpi; at most 80 million"


@pytest.mark.parametrize("code_type", ["CODE128", "EAN13"])
async def test_no_label_is_sent_if_one_cannot_be_printed(client: Client, code_type: str) -> None:
    """The refusal names it, however late in the run it is."""
    products = ["4006381333931"] * 50 + ["X" * 60]
    body = {"products": products, "code_type": code_type, "output": "zpl", "layout": ROLL}
    response = await client.post(PRINTABLE, json=body)
    assert response.status == 400
    assert "X" * 60 in await response.text()


async def test_a_file_of_too_many_bytes_is_refused(client: Client, problems: Any) -> None:
    """It is held whole, and uncompressed labels can take 20 MB each."""
    layout = {"sheet": "370x370mm", "dpi": 600, "graphics": "hex"}
    body = {"products": [f"A-{number}" for number in range(6)], "output": "zpl", "layout": layout}
    response = await client.post(PRINTABLE, json=body)
    assert response.status == 400
    expected = "the file has more than 100 MB; print fewer labels at a time"
    assert (await problems(response))["products"] == expected
