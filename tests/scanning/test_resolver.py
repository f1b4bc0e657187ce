"""Scans against a database: what it finds, what it sends, and what a scan without a product offers to create."""

import asyncio
from typing import Any

import pytest

from barcodesvc.clock import Clock
from barcodesvc.errors import DatabaseFailure
from barcodesvc.models import ProductDraft
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.images.codes import CodeOnImage, ImagePoint
from barcodesvc.scanning.resolver import Resolved, Resolver, resolve_codes
from barcodesvc.scanning.unresolved import UnresolvedScan
from barcodesvc.store.database import Database
from barcodesvc.store.scans import ScannedCode, ScannedLevel, ScannedProduct
from barcodesvc.store.script import Row
from tests.scanning.catalogue import Catalogue
from tests.stock import insert_all
from tests.sweeps import sweep

NOW = "2026-01-31T12:00:00.000Z"
GTIN = "4006381333931"
CORNERS = (ImagePoint(0, 0), ImagePoint(9, 0), ImagePoint(9, 9), ImagePoint(0, 9))


async def stock(database: Database, *codes: str) -> None:
    """Insert products of these codes."""
    drafts = [ProductDraft(product_code=code, description="x", category="y", initial_level=5) for code in codes]
    await database.change(lambda: insert_all(drafts, NOW))


async def match(database: Database, code_data: str) -> tuple[str, str] | None:
    """Return the code that a scan leads to and the rule that found it, or None."""
    try:
        resolved = await Resolver(database, Clock()).resolve(code_data)
    except UnresolvedScan:
        return None
    return resolved.product.product_code, resolved.match.value


@pytest.mark.each_engine
async def test_a_scan_returns_product_level_and_rule(database: Database) -> None:
    """The result has all fields of the response."""
    await stock(database, "A-1")
    resolved = await Resolver(database, Clock()).resolve("A-1\r\n")
    assert resolved.product == ScannedProduct(1, "A-1", "x", "y", retired=False, attributes={})
    assert resolved.code == ScannedCode("A-1", pack_quantity=1)
    assert resolved.level == ScannedLevel(current_level=5, minimum_level=0, last_updated=NOW)
    assert resolved.match is Match.EXACT


@pytest.mark.each_engine
@pytest.mark.parametrize(
    ("stored", "scanned", "rule"),
    [
        ("A-1", "A-1", "exact"),
        ("A-1", '{"product_code":"A-1","x":1}', "json"),
        ("A-1", "]C0A-1", "aim"),
        (GTIN, "]C1010400638133393110AB", "gs1"),
        (GTIN, f"https://id.example/01/0{GTIN}/10/AB", "digital_link"),
        ("036000291452", "0036000291452", "gtin"),
        ("36000291452", "036000291452", "shortened_gtin"),
        ("widget.red", "WIDGET.RED", "case_insensitive"),
        (GTIN, "４００６３８１３３３９３１", "nfkc"),  # noqa: RUF001 - full-width digits
        (GTIN, '\'àà-"_&"""ç"&', "keyboard_layout"),
    ],
)
async def test_every_rule_finds_its_product(database: Database, stored: str, scanned: str, rule: str) -> None:
    """The result names the rule that matched."""
    await stock(database, stored, "something else")
    assert await match(database, scanned) == (stored, rule)


@pytest.mark.each_engine
@pytest.mark.parametrize(
    ("stored", "scanned", "expected"),
    [
        (["a-1", "A-1"], "a-1", ("a-1", "exact")),
        (["036000291452", "0036000291452", "36000291452"], "00036000291452", None),
        (["aB", "Ab"], "ab", None),
        (["36000291452", "036000291452"], "0036000291452", ("036000291452", "gtin")),
    ],
)
async def test_ambiguity_is_never_guessed(
    database: Database, stored: list[str], scanned: str, expected: tuple[str, str] | None
) -> None:
    """If two products match the first matching rule, none is found, whatever a later rule would say."""
    await stock(database, *stored)
    assert await match(database, scanned) == expected


@pytest.mark.each_engine
async def test_nonsense_finds_nothing(database: Database) -> None:
    """Whatever a scanner sends, an unknown code is an unknown code."""
    await stock(database, "A-1", "36000291452")
    nonsense = ["", " ", "\0", "\ud800", "é", "{", "[" * 5000, "]C1", "9" * 5000, "%", "' OR 1=1 --"]
    assert [await match(database, text) for text in nonsense] == [None] * len(nonsense)


@pytest.mark.each_engine
async def test_scans_that_wait_together_are_looked_up_together(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred codes of an image take two or three statements, and each gets its own product or its own miss."""
    asked: list[str] = []
    scan_row = database.scan_row

    async def watched(_: Database, name: str, **parameters: Any) -> Row | None:
        asked.append(name)
        return await scan_row(name, **parameters)

    monkeypatch.setattr(type(database), "scan_row", watched)
    codes = [f"{number}" for number in range(100, 150)]
    await stock(database, *codes)
    scanned = [CodeOnImage(f"{number}", "CODE128", CORNERS) for number in range(100, 200)]
    outcomes = await resolve_codes(Resolver(database, Clock()), scanned)
    assert [one.product.product_code for one in outcomes if isinstance(one, Resolved)] == codes
    assert [type(one) for one in outcomes[50:]] == [UnresolvedScan] * 50
    assert 1 <= asked.count("resolve_scans") <= 3


@pytest.mark.each_engine
@pytest.mark.parametrize("failure", [DatabaseFailure("broken"), MemoryError("all of it")])
async def test_a_failure_reaches_every_scan_that_waits(
    database: Database, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """Whatever fails, each scan fails the same way, and the next one is looked up again."""

    async def failing(_: Database, __: str, **___: Any) -> Row | None:
        raise failure

    await stock(database, "A-1")
    resolver = Resolver(database, Clock())
    with monkeypatch.context() as broken:
        broken.setattr(type(database), "scan_row", failing)
        outcomes = await asyncio.gather(*(resolver.resolve("A-1") for _ in range(5)), return_exceptions=True)
    assert outcomes == [failure] * 5
    assert (await resolver.resolve("A-1")).product.product_code == "A-1"


async def test_a_scan_that_is_given_up_holds_up_no_other(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that leaves during its look-up (which the test delays) changes nothing for the others."""
    await stock(database, "A-1")
    begun, go_on = asyncio.Event(), asyncio.Event()
    scan_row = database.scan_row

    async def held_up(_: Database, name: str, **parameters: Any) -> Row | None:
        begun.set()
        await go_on.wait()
        return await scan_row(name, **parameters)

    monkeypatch.setattr(type(database), "scan_row", held_up)
    resolver = Resolver(database, Clock())
    given_up, kept = (asyncio.create_task(resolver.resolve("A-1")) for _ in range(2))
    async with asyncio.timeout(10):
        await begun.wait()
    given_up.cancel()
    go_on.set()
    assert (await kept).product.product_code == "A-1"
    assert given_up.cancelled()


@sweep(
    ("sent", "symbology", "product_code"),
    [
        (f"]E0{GTIN}", "EAN13", GTIN),
        (f"]C1010{GTIN}10L7", "GS1-128", GTIN),
        (f"https://id.gs1.org/01/0{GTIN}", None, GTIN),
        ("(01)10012345678902", None, "10012345678902"),
        ("]C0 my code \r\n", "CODE128", "my code"),
        ('{"product_code":"N-1","description":"%s"}' % ("x" * 501), None, "N-1"),
        (f"]E3{GTIN}12", "EAN13", GTIN),
        (r"\000026my code", None, "my code"),
        ("*AB-12345*", None, "AB-12345"),
        ("４００６３８１３３３９３１", None, GTIN),  # noqa: RUF001 - full-width digits
        ('\'àà-"_&"""ç"&', None, GTIN),
        ("ÜÄproduct?codeÄÖÄA1Ä*", None, "A1"),
        ("+EHWD3551419/$$900100F", None, "+EHWD3551419G"),
        ("[)>\x1e06\x1d9N110498762989\x1d1TLOT7\x1e\x04", None, "PZN-04987629"),
        ("+$$8053290331260301104+$", None, None),
        ("ä", None, None),
        ("x" * 65, None, None),
        ("\x01", None, None),
    ],
)
async def test_an_unknown_scan_proposes_the_product_that_it_would_find(
    database: Database, sent: str, symbology: str | None, product_code: str | None
) -> None:
    """The same scan finds a product with that code; if none could have it, or for a lot alone, none is proposed."""
    with pytest.raises(UnresolvedScan) as missing:
        await Resolver(database, Clock()).resolve(sent)
    proposed = missing.value.new_product
    assert missing.value.understood["symbology"] == symbology
    assert (proposed and proposed["product_code"]) == product_code
    assert product_code is None or Catalogue([product_code]).find(sent)


async def test_elements_are_reported_where_the_product_proves_them(database: Database) -> None:
    """A lot alone looks like a part number, unless a product has it in brackets."""
    await stock(database, "(10)LOT7")
    assert (await Resolver(database, Clock()).resolve("10LOT7")).gs1 == {"lot": "LOT7", "elements": {"10": "LOT7"}}
