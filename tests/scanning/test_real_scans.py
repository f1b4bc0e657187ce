"""Every scan of the real collection against everything that an import keeps of the real catalogues."""

from __future__ import annotations

import re

from barcodesvc.scanning.candidates import Match, candidates_of
from barcodesvc.scanning.parsed_scan import ParsedScan
from tests.scanning.conftest import Catalogue, Scan

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


def test_the_real_catalogue_holds_what_an_import_keeps(real_catalogue: Catalogue, scans: list[Scan]) -> None:
    """326 parts and 1,848 groceries, no code twice; 208 scans to be found and 41 not."""
    assert len(real_catalogue.codes) == len(set(real_catalogue.codes)) == 326 + 1848
    assert sum(scan.expected is not None for scan in scans) == 208
    assert sum(scan.expected is None for scan in scans) == 41


def test_every_real_scan_finds_its_product_or_none(real_catalogue: Catalogue, scans: list[Scan]) -> None:
    """Found rows find exactly their product, the others find nothing."""
    found = [(scan, real_catalogue.find(scan.code_data, scan.code_type)) for scan in scans]
    wrong = [(scan, hit) for scan, hit in found if (hit[1] if hit else None) != scan.expected]
    assert wrong == []


def test_every_found_scan_names_the_rule_that_fitted(real_catalogue: Catalogue, scans: list[Scan]) -> None:
    """The match is the one that the row's rule is about."""
    wrong = []
    for scan in scans:
        hit = real_catalogue.find(scan.code_data, scan.code_type)
        allowed = next((m for rule, m in MATCHES_BY_RULE.items() if re.fullmatch(rule, scan.rule)), set())
        wrong += [(scan, hit)] if hit and hit[0] not in allowed else []
    assert wrong == []


def test_every_stored_code_is_found_by_itself(real_catalogue: Catalogue) -> None:
    """No product hides another one: its own code is always the best candidate."""
    hits = [real_catalogue.find(code) for code in real_catalogue.codes]
    assert hits == [(Match.EXACT, code) for code in real_catalogue.codes]


def test_real_scans_need_few_candidates(scans: list[Scan]) -> None:
    """A scan is one small statement: at most 15 comparisons in practice, and seven on average.

    Most are for a UPC-A with zeros that a UPC-E leaves out, which a product code spells in six ways, add-ons aside.
    """
    counts = [len(candidates_of(ParsedScan(scan.code_data, scan.code_type))) for scan in scans]
    assert max(counts) <= 15
    assert sum(counts) / len(counts) <= 7
