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
from barcodesvc.store.scans import ScannedLevel, ScannedProduct
from barcodesvc.store.script import Row
from tests.stock import insert_all

pytestmark = pytest.mark.each_engine

NOW = "2026-01-31T12:00:00.000Z"
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


async def found(database: Database, stored: list[str], *codes: CodeOnImage) -> list[tuple[str, str] | None]:
    """Return for each code its product and the rule, None without a product, with these products in stock."""
    await stock(database, *stored)
    outcomes = await resolve_codes(Resolver(database, Clock()), codes)
    return [(one.product.product_code, one.match.value) if isinstance(one, Resolved) else None for one in outcomes]


async def test_a_scan_returns_product_level_and_rule(database: Database) -> None:
    """The result has all fields of the response."""
    await stock(database, "A-1")
    resolved = await Resolver(database, Clock()).resolve("A-1\r\n")
    assert resolved.product == ScannedProduct(1, "A-1", "x", "y", {})
    assert resolved.level == ScannedLevel(current_level=5, minimum_level=0, last_updated=NOW)
    assert resolved.match is Match.EXACT


@pytest.mark.parametrize(
    ("stored", "scanned", "rule"),
    [
        ("A-1", "A-1", "exact"),
        ("A-1", " A-1\t", "exact"),
        ("A-1", '{"product_code":"A-1","x":1}', "json"),
        ("A-1", "]C0A-1", "aim"),
        ("4006381333931", "]C1010400638133393110AB", "gs1"),
        ("4006381333931", "https://id.example/01/04006381333931/10/AB", "digital_link"),
        ("036000291452", "0036000291452", "gtin"),
        ("36000291452", "036000291452", "shortened_gtin"),
        ("widget.red", "WIDGET.RED", "case_insensitive"),
        ("4006381333931", "４００６３８１３３３９３１", "nfkc"),  # noqa: RUF001 - full-width digits
        ("4006381333931", '\'àà-"_&"""ç"&', "keyboard_layout"),
    ],
)
async def test_every_rule_finds_its_product(database: Database, stored: str, scanned: str, rule: str) -> None:
    """The result names the rule that matched."""
    await stock(database, stored, "something else")
    assert await match(database, scanned) == (stored, rule)


@pytest.mark.parametrize(
    ("stored", "scanned", "expected"),
    [
        (["]C0A-1", "A-1"], "]C0A-1", ("]C0A-1", "exact")),
        (["a-1", "A-1"], "a-1", ("a-1", "exact")),
        (["036000291452", "0036000291452"], "0036000291452", ("0036000291452", "exact")),
        (["036000291452", "0036000291452"], "00036000291452", None),
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


@pytest.mark.parametrize(
    "scanned", ["", " ", "\0", "\ud800", "é", "{", "[" * 5000, "]C1", "9" * 5000, "%", "' OR 1=1 --"]
)
async def test_nonsense_finds_nothing(database: Database, scanned: str) -> None:
    """Whatever a scanner sends, an unknown code is an unknown code."""
    await stock(database, "A-1", "36000291452")
    assert await match(database, scanned) is None


async def test_a_scan_is_one_statement(database: Database, asked: list[str]) -> None:
    """However many candidates a scan has, it is one query."""
    assert await match(database, "]C1010400638133393110AB") is None
    assert asked == ["resolve_scans"]


async def test_scans_that_wait_together_are_looked_up_together(database: Database, asked: list[str]) -> None:
    """A hundred scans at once take two or three statements, and each gets its own product or its own miss."""
    codes = [f"{number}" for number in range(100, 150)]
    await stock(database, *codes)
    resolver = Resolver(database, Clock())
    scans = (resolver.resolve(f"{number}") for number in range(100, 200))
    outcomes = await asyncio.gather(*scans, return_exceptions=True)
    assert [one.product.product_code for one in outcomes if isinstance(one, Resolved)] == codes
    assert [type(one) for one in outcomes[50:]] == [UnresolvedScan] * 50
    assert 1 <= asked.count("resolve_scans") <= 3


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


async def test_each_code_is_resolved(database: Database) -> None:
    """Codes come back in order, with their products, or why there is none."""
    codes = [CodeOnImage(text, "CODE128", CORNERS) for text in ("A-1", "unknown", "A-1", "B-1")]
    assert await found(database, ["A-1", "B-1"], *codes) == [("A-1", "exact"), None, ("A-1", "exact"), ("B-1", "exact")]


async def test_the_codes_on_an_image_are_looked_up_together(database: Database, asked: list[str]) -> None:
    """Sixty codes take two or three statements, not one each."""
    codes = [CodeOnImage(f"A-{number}", "CODE128", CORNERS) for number in range(60)]
    assert await found(database, ["A-7"], *codes) == [("A-7", "exact") if code is codes[7] else None for code in codes]
    assert 1 <= asked.count("resolve_scans") <= 3


async def test_a_miss_says_why(database: Database) -> None:
    """The outcome of a code without a product is the same error as for a text scan."""
    [one] = await resolve_codes(Resolver(database, Clock()), [CodeOnImage("A-1", "QR", CORNERS)])
    assert isinstance(one, UnresolvedScan)


async def test_a_gs1_symbol_names_its_product_by_its_gtin(database: Database) -> None:
    """The identifier and the separators are used."""
    code = CodeOnImage("]C110LOT7\x1d010952123454321321S1", "GS1-128", CORNERS)
    assert await found(database, ["9521234543213"], code) == [("9521234543213", "gs1")]


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (["012345000065"], ("012345000065", "exact")),
        (["0012345000065"], ("0012345000065", "gtin")),
        (["01234565"], ("01234565", "gtin")),
        (["01234565", "012345000065"], ("012345000065", "exact")),
        (["0000001234565"], None),
        ([], None),
    ],
)
async def test_a_upce_is_its_upca_or_as_it_is_printed(
    database: Database, stored: list[str], expected: tuple[str, str] | None
) -> None:
    """It finds the UPC-A, else a code with that notation, and never the EAN-8 that its eight digits could be."""
    code = CodeOnImage("012345000065", "UPCE", CORNERS)
    assert await found(database, stored, code) == [expected]
