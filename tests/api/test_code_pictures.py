from io import BytesIO

import pytest
from PIL import Image

from tests.api.drawn_codes import address, drawn, png_bytes, read_back, svg_image, svg_text
from tests.fixture_types import Client, ClientMaker, Problems, Refused
from tests.sweeps import sweep

KINDS = ("barcode", "qrcode")
PICTURES = tuple((kind, ending) for kind in KINDS for ending in ("svg", "png"))
PARAMETERS: tuple[tuple[str, dict[str, object]], ...] = (
    ("barcode", {}),
    ("barcode", {"format": "code-39"}),
    ("barcode", {"format": "Data Matrix", "width": 5}),
    ("barcode", {"width": 1.5}),
    ("barcode", {"width": 200}),
    ("barcode", {"height": 33.25}),
    ("barcode", {"displayValue": False}),
    ("barcode", {"displayValue": True}),
    ("barcode", {"dpi": 203.2}),
    ("barcode", {"module_mm": 0.5}),
    ("barcode", {"module_mm": 0.33, "dpi": 600, "height": 12, "format": "CODE93", "displayValue": False}),
    ("qrcode", {}),
    ("qrcode", {"size": 101}),
    ("qrcode", {"error_correction": "H"}),
    ("qrcode", {"include_product_info": True}),
    ("qrcode", {"include_product_info": False}),
    ("qrcode", {"dpi": 203}),
    ("qrcode", {"module_mm": 0.4, "dpi": 4800, "error_correction": "L", "include_product_info": True}),
)


@sweep(("kind", "parameters"), PARAMETERS)
async def test_a_picture_is_the_one_in_the_posts_response(
    shop: Client, kind: str, parameters: dict[str, object]
) -> None:
    """Every parameter means the same in a query and in a body: both pictures are equal, byte for byte."""
    data = await drawn(shop, kind, product_code="A-1", **parameters)
    for ending, picture in (("svg", svg_text(data).encode()), ("png", png_bytes(data))):
        response = await shop.get(address(kind, "A-1", ending, **parameters))
        assert response.status == 200
        assert await response.read() == picture


@pytest.mark.parametrize(("name", "one", "other"), [("displayValue", "1", "0"), ("include_product_info", "1", "0")])
async def test_a_boolean_may_be_a_digit(shop: Client, name: str, one: str, other: str) -> None:
    """1 is true and 0 is false, as in all queries of the service."""
    kind = "barcode" if name == "displayValue" else "qrcode"
    for spelt, value in ((one, True), (other, False)):
        response = await shop.get(address(kind, "A-1", "svg", **{name: spelt}))
        assert await response.text() == svg_text(await drawn(shop, kind, product_code="A-1", **{name: value}))


@pytest.mark.parametrize(("kind", "ending"), PICTURES)
async def test_a_picture_says_what_it_is_and_may_do_nothing_else(client: Client, kind: str, ending: str) -> None:
    """It has its content type, is not sniffed, and executes nothing when it is opened by itself."""
    response = await client.get(address(kind, "A-1", ending))
    assert response.headers["Content-Type"] == {"svg": "image/svg+xml", "png": "image/png"}[ending]
    assert int(response.headers["Content-Length"]) == len(await response.read())
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert response.headers.getall("Content-Security-Policy") == [policy]


@pytest.mark.parametrize(("kind", "ending"), PICTURES)
async def test_a_picture_is_read_back(client: Client, kind: str, ending: str) -> None:
    """A reader finds the code of the URL in it."""
    picture = await (await client.get(address(kind, "A/b %25?.svg", ending))).read()
    image = Image.open(BytesIO(picture)) if ending == "png" else svg_image({"barcode_svg": picture.decode()})
    assert read_back(image) == "A/b %25?.svg"


WRONG: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("barcode", "format", ("", "CODE12", "x" * 65, "%00")),
    ("barcode", "width", ("", "0", "-1", "4000.5", "1e2", "NaN", "+2", "0x2", "2,5", " 2", ".5", "2.", "\u0662")),
    ("barcode", "height", ("9.99", "2001", "1e308", "Infinity", "-0.0", "1" * 400)),
    ("barcode", "displayValue", ("", "True", "FALSE", "yes", "2", "null")),
    ("barcode", "displayvalue", ("true",)),
    ("barcode", "size", ("300",)),
    ("barcode", "dpi", ("", "24.9", "0", "4801", "-300", "NaN", "300dpi")),
    ("barcode", "module_mm", ("", "0", "0.0099", "10.1", "-1", "0.33mm")),
    ("qrcode", "size", ("", "28", "28.9", "4001", "1e308", "-300", "\u0663\u0660\u0660")),
    ("qrcode", "error_correction", ("", "m", "X", "LM")),
    ("qrcode", "include_product_info", ("", "True", "yes")),
    ("qrcode", "dpi", ("24.9", "4801", "NaN")),
    ("qrcode", "module_mm", ("0", "10.1")),
    ("qrcode", "format", ("QR",)),
    ("qrcode", "product_code", ("A-1",)),
    ("barcode", "product_code", ("A-1", "")),
)


@sweep(("kind", "name", "values"), WRONG)
async def test_a_wrong_parameter_is_named(
    client: Client, problems: Problems, kind: str, name: str, values: tuple[str, ...]
) -> None:
    """A value out of range, a number or boolean in another spelling, an unknown name: a 400 that says which."""
    for value in values:
        for ending in ("svg", "png"):
            reply = await problems(await client.get(address(kind, "A-1", ending, **{name: value})))
            assert list(reply) == [name], value


@pytest.mark.parametrize(("kind", "name"), [("barcode", "width"), ("barcode", "format"), ("qrcode", "size")])
async def test_a_repeated_parameter_is_named(client: Client, problems: Problems, kind: str, name: str) -> None:
    """Neither of two values is used, even if they are equal."""
    twice = str(address(kind, "A-1", "png", **{name: "100"})) + f"&{name}=100"
    assert await problems(await client.get(twice)) == {name: "given more than once"}


async def test_all_problems_of_an_address_are_reported_at_once(client: Client, problems: Problems) -> None:
    """Problems of the code and of the parameters are reported together."""
    reply = await problems(await client.get(address("barcode", "a\nb", "svg", width="-1", format="CODE12", x="1")))
    assert set(reply) == {"product_code", "width", "format", "x"}


@pytest.mark.parametrize(("kind", "name"), [("barcode", "width"), ("qrcode", "size")])
async def test_a_picture_has_one_size(client: Client, problems: Problems, kind: str, name: str) -> None:
    """Pixels and module_mm together are refused, in either order."""
    expected = {name: f"{name} and module_mm both say how large; leave one of them out"}
    for query in ({name: "100", "module_mm": "0.33"}, {"module_mm": "0.33", name: "100"}):
        assert await problems(await client.get(address(kind, "A-1", "png", **query))) == expected


async def test_content_that_does_not_fit_is_refused_as_by_the_post(client: Client) -> None:
    """The refusal equals the POST's: rule, position, and what would fit."""
    refused = await client.get(address("barcode", "12A4567", "svg", format="EAN8"))
    posted = await client.post("/api/codes/barcode", json={"product_code": "12A4567", "format": "EAN8"})
    assert (refused.status, refused.content_type) == (400, "application/json")
    assert await refused.json() == await posted.json()


@pytest.mark.parametrize("ending", ["svg", "png"])
async def test_product_information_needs_its_product(client: Client, refused: Refused, ending: str) -> None:
    """The URL of a missing product is a 404 with the code, and must not be cached."""
    response = await client.get(address("qrcode", "B-1", ending, include_product_info=True))
    assert (await refused(response, 404, "PRODUCT_NOT_FOUND"))["details"] == {"reason": "not_found", "missing": ["B-1"]}
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("kind", "ending"), PICTURES)
async def test_a_picture_is_only_got(client: Client, refused: Refused, kind: str, ending: str) -> None:
    """Every other method is a 405 that allows GET, and HEAD, which is a GET without a body."""
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        response = await client.request(method, address(kind, "A-1", ending))
        await refused(response, 405, "VALIDATION_ERROR")
        assert response.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(("kind", "ending"), PICTURES)
async def test_a_picture_counts_against_the_rate_limit(make_client: ClientMaker, kind: str, ending: str) -> None:
    """Responses say what is left, including a 304; beyond the limit the response is a 429."""
    client = await make_client(rate_limit="2/minute")
    first = await client.get(address(kind, "A-1", ending))
    second = await client.get(address(kind, "A-1", ending), headers={"If-None-Match": first.headers["ETag"]})
    third = await client.get(address(kind, "A-1", ending))
    assert [response.status for response in (first, second, third)] == [200, 304, 429]
    assert [response.headers["RateLimit-Remaining"] for response in (first, second, third)] == ["1", "0", "0"]


async def test_a_script_of_an_allowed_origin_sees_the_tag(make_client: ClientMaker) -> None:
    """CORS exposes the ETag."""
    client = await make_client(cors_origins="https://shop.example")
    response = await client.get(address("barcode", "A-1", "svg"), headers={"Origin": "https://shop.example"})
    assert response.headers["Access-Control-Allow-Origin"] == "https://shop.example"
    exposed = [name.strip().lower() for name in response.headers["Access-Control-Expose-Headers"].split(",")]
    assert "etag" in exposed


async def test_what_an_image_was_answered_is_not_what_a_script_gets(make_client: ClientMaker) -> None:
    """A picture may be cached for a day but not across origins, with CORS or without, because its headers differ."""
    client = await make_client(cors_origins="https://shop.example")
    for headers in ({}, {"Origin": "https://shop.example"}):
        response = await client.get(address("barcode", "A-1", "svg"), headers=headers)
        assert response.headers["Vary"] == "Origin"
