"""Every scan of the real collection against a database with the real catalogues, loaded by an import."""

import asyncio
import csv
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from barcodesvc.clock import Clock
from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.scanning.candidates import Match, candidates_of
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.scanning.resolver import Resolver
from barcodesvc.scanning.unresolved import UnresolvedScan
from barcodesvc.store.database import Database
from barcodesvc.store.staging import SKIP
from tests.catalogue.imported import imported
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.scanning.catalogue import Catalogue

MATCHES_BY_RULE = {
    r"plain|wedge-.*": {Match.EXACT},
    r"json.*": {Match.JSON},
    r"aim-upca": {Match.AIM, Match.GTIN},
    r"aim-itf14|upca-.*|ean13-.*|gtin14-.*": {Match.GTIN},
    r"aim-.*": {Match.AIM},
    r"gs1-.*": {Match.GS1},
    r"dl-.*": {Match.DIGITAL_LINK},
    r"case-.*": {Match.CASE},
    r"wrong-hint": set(Match),
}


@dataclass(frozen=True)
class Scan:
    """A row of scans.csv: the text sent and the product code to find, None for none."""

    code_data: str
    code_type: str
    expected: str | None
    rule: str


@pytest.fixture
async def full_shop(database: Database, threads: WorkerThreads, catalogue_data: Path) -> Database:
    """Return a database with both real catalogues in it."""
    for name in ("catalogue.xlsx", "groceries.xlsx"):
        await imported(database, threads, catalogue_data / name, SKIP)
    return database


@pytest.fixture
def codes(full_shop: Database, place: Place) -> list[str]:  # noqa: ARG001 - the fixture imports the catalogues
    """Return the product codes in the full shop."""
    return [code for (code,) in run_sql(place, "SELECT product_code FROM products ORDER BY id")]


@pytest.fixture(scope="session")
def scans(catalogue_data: Path) -> list[Scan]:
    """Return all rows of scans.csv."""
    with (catalogue_data / "scans.csv").open(encoding="utf-8", newline="") as file:
        return [
            Scan(json.loads(row["code_data"]), row["code_type"], row["expected_product_code"] or None, row["rule"])
            for row in csv.DictReader(file)
        ]


async def hits(database: Database, scans: Iterable[Scan]) -> list[tuple[Match, str] | None]:
    """Return for each scan the rule that found a product and that product's code, None for none."""
    resolver = Resolver(database, Clock())

    async def hit(scan: Scan) -> tuple[Match, str] | None:
        try:
            resolved = await resolver.resolve(scan.code_data, scan.code_type)
        except UnresolvedScan:
            return None
        return resolved.match, resolved.product.product_code

    return await asyncio.gather(*map(hit, scans))


async def test_every_real_scan_finds_its_product_or_none(full_shop: Database, scans: list[Scan]) -> None:
    """Found rows find exactly their product, the others find nothing, with the hint and without it."""
    sent = [*scans, *(replace(scan, code_type="") for scan in scans)]
    found = zip(sent, await hits(full_shop, sent), strict=True)
    assert [(scan, hit) for scan, hit in found if (hit[1] if hit else None) != scan.expected] == []
    assert {scan.expected is None for scan in scans} == {True, False}


async def test_every_found_scan_names_the_rule_that_fitted(full_shop: Database, scans: list[Scan]) -> None:
    """The match is the one that the row is about."""
    wrong = []
    for scan, hit in zip(scans, await hits(full_shop, scans), strict=True):
        allowed = next((m for rule, m in MATCHES_BY_RULE.items() if re.fullmatch(rule, scan.rule)), set())
        wrong += [(scan, hit)] if hit and hit[0] not in allowed else []
    assert wrong == []


async def test_every_stored_code_is_found_by_itself(full_shop: Database, codes: list[str]) -> None:
    """No product hides another one: its own code is always the best candidate."""
    found = await hits(full_shop, [Scan(code, "", code, "") for code in codes])
    assert found == [(Match.EXACT, code) for code in codes]


async def test_the_store_in_memory_finds_what_the_database_finds(
    full_shop: Database, codes: list[str], scans: list[Scan]
) -> None:
    """The other tests of scans, which use it, test the same matching."""
    memory = Catalogue(codes)
    assert [memory.find(scan.code_data, scan.code_type) for scan in scans] == await hits(full_shop, scans)


def test_real_scans_need_few_candidates(scans: list[Scan]) -> None:
    """A scan is one small statement: at most 15 comparisons in practice, and seven on average.

    Most are for a UPC-A with zeros that a UPC-E leaves out, with six notations as a product code, apart from add-ons.
    """
    counts = [len(candidates_of(ParsedScan(scan.code_data, scan.code_type))) for scan in scans]
    assert max(counts) <= 15
    assert sum(counts) / len(counts) <= 7
