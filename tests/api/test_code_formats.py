from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import ClientResponse
from PIL import Image, ImageOps

from barcodesvc.symbols.registry import SYMBOLOGIES
from tests.api.drawn_codes import drawn, png_image, read_back
from tests.fixture_types import Client

FORMATS = "/api/codes/formats"
FIELDS = ["format", "aliases", "kind", "alphabet", "length", "check_digit", "quiet_zone", "least_module_mm", "example"]
QUIET_ZONES = {
    **dict.fromkeys(("EAN13", "JAN", "ISBN13", "ISBN10", "ISSN"), (11, 7)),
    **dict.fromkeys(("QR", "GS1QR"), (4, 4)),
    **dict.fromkeys(("MICROQR", "RMQR", "PDF417"), (2, 2)),
    **dict.fromkeys(("DATAMATRIX", "GS1DATAMATRIX", "MICROPDF417"), (1, 1)),
    **dict.fromkeys(("CODE128", "CODE39", "CODE93", "CODABAR", "ITF", "ITF14", "GS1-128", "PZN"), (10, 10)),
    "EAN8": (7, 7),
    "UPCA": (9, 9),
    "UPCE": (9, 7),
    "MSI": (12, 12),
    "AZTEC": (0, 0),
}
"""Modules left and right that the standards require."""


async def _formats(client: Client) -> list[dict[str, Any]]:
    response = await client.get(FORMATS)
    assert (response.status, response.headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    reply = await response.json()
    assert list(reply) == ["success", "data"]
    return list(reply["data"])


def _margins(image: Image.Image, kind: str) -> dict[str, int]:
    """Return the widths of the light margins in pixels; bearer bars of a linear symbol do not count."""
    if kind == "linear":
        image = image.crop((0, image.height // 2, image.width, image.height // 2 + 1))
    left, top, right, bottom = ImageOps.invert(image.convert("L")).getbbox() or (0, 0, 0, 0)
    return {"left": left, "right": image.width - right, "top": top, "bottom": image.height - bottom}


async def test_every_symbology_is_listed_once(client: Client) -> None:
    """One entry for each, in the order of the registry, with all of its fields."""
    listed = await _formats(client)
    assert [entry["format"] for entry in listed] == [symbology.name for symbology in SYMBOLOGIES]
    assert len(listed) == len({entry["format"] for entry in listed}) >= 30
    for entry in listed:
        assert list(entry) == FIELDS
        assert all(entry[name] for name in FIELDS if name != "aliases"), entry


async def test_an_entry_tells_the_rules_of_the_registry(client: Client) -> None:
    """Names, rules, example and minimum module are those that the encoders are registered with."""
    for entry, symbology in zip(await _formats(client), SYMBOLOGIES, strict=True):
        assert entry["aliases"] == list(symbology.aliases)
        assert entry["least_module_mm"] == symbology.least_module
        for name in ("alphabet", "length", "check_digit", "example"):
            assert entry[name] == getattr(symbology, name)


async def test_an_entry_in_full(client: Client) -> None:
    """This is the complete entry of Code 128."""
    assert (await _formats(client))[0] == {
        "format": "CODE128",
        "aliases": [],
        "kind": "linear",
        "alphabet": "printable ASCII",
        "length": "any",
        "check_digit": "part of the symbol",
        "quiet_zone": {"left": 10, "right": 10, "top": 0, "bottom": 0},
        "least_module_mm": 0.191,
        "example": "AB-12345",
    }


async def test_a_symbology_is_linear_or_a_matrix(client: Client) -> None:
    """Symbologies that are read in two directions are matrices, the rest are linear."""
    kinds = {entry["format"]: entry["kind"] for entry in await _formats(client)}
    assert set(kinds.values()) == {"linear", "matrix"}
    for name in ("CODE128", "EAN13", "PHARMACODE", "DATABAROMNI"):
        assert kinds[name] == "linear"
    for name in ("QR", "AZTEC", "PDF417", "DATAMATRIX", "RMQR"):
        assert kinds[name] == "matrix"


async def test_no_name_means_two_symbologies(client: Client) -> None:
    """Every alias belongs to one symbology, compared in the same way as by the service."""
    listed = await _formats(client)
    names = [name for entry in listed for name in (entry["format"], *entry["aliases"])]
    normal = [name.casefold().replace("-", "").replace("_", "").replace(" ", "") for name in names]
    assert len(set(normal)) == len(normal)


async def test_every_example_is_drawn_under_every_name(client: Client) -> None:
    """The service accepts every listed name in any spelling, and responds with the canonical one."""
    for entry in await _formats(client):
        canonical, example = entry["format"], entry["example"]
        expected = await drawn(client, "barcode", product_code=example, format=canonical)
        assert expected["format"] == canonical
        for name in (*entry["aliases"], canonical.lower(), " ".join(canonical)):
            assert await drawn(client, "barcode", product_code=example, format=name) == expected, name


async def test_the_quiet_zone_is_that_of_the_picture(client: Client) -> None:
    """The symbol is surrounded by as many light modules as listed, and as the standard requires."""
    for entry in await _formats(client):
        name, zone = entry["format"], entry["quiet_zone"]
        picture = {"product_code": entry["example"], "format": name, "width": 1, "displayValue": False}
        assert _margins(png_image(await drawn(client, "barcode", **picture)), entry["kind"]) == zone, name
        sides = (zone["left"], zone["right"])
        assert sides == QUIET_ZONES.get(name, sides), name


async def test_an_example_is_read_back(client: Client) -> None:
    """Each example is content as a reader returns it."""
    for entry in await _formats(client):
        if entry["format"] in ("EAN13", "UPCA", "CODE128", "QR", "DATAMATRIX", "AZTEC", "PDF417"):
            wanted = {"product_code": entry["example"], "format": entry["format"], "width": 3}
            read = read_back(png_image(await drawn(client, "barcode", **wanted)))
            assert read.lstrip("0") == entry["example"].lstrip("0")


@pytest.mark.parametrize("query", [{"format": "EAN13"}, {"kind": "linear"}, {"": ""}])
async def test_the_list_takes_no_parameters(
    client: Client, problems: Callable[[ClientResponse], Awaitable[dict[str, str]]], query: dict[str, str]
) -> None:
    """Query parameters are refused by name."""
    reply = await problems(await client.get(FORMATS, params=query))
    assert set(reply.values()) == {"no such parameter"}


async def test_the_list_is_the_same_each_time(client: Client) -> None:
    """It is built once, and requests for it change nothing."""
    first, second = await client.get(FORMATS), await client.get(FORMATS)
    assert await first.read() == await second.read()
