"""What else a scan may be that no product matches: the same text in other characters, or from another keyboard.

    nfkc             the text with the usual characters instead of those that differ in width (Unicode NFKC) or are
                     digits of another script
    json             `product_code` of the service's QR payload, typed on another keyboard layout or with Caps Lock
    keyboard_layout  any other text typed that way: first the numbers with a valid check digit, then others, then
                     others in the other case

It is computed only for such a scan, since it costs more than all other rules. A text that is a number, a payload or a
GS1 element string is what it says, and a code on an image is not typed; they are not turned back.

Rule: all readings of a layout count equally, so that a product is found only if no other reading has another one.
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from barcodesvc.in_store_patterns import InStorePattern
from barcodesvc.scanning.candidates import Match, ScanCandidate, candidates_of
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.scanning.retyping import PAYLOAD, retyped
from barcodesvc.store.scans import Comparison

_GUESSES = frozenset(
    {Match.SHORTENED_GTIN, Match.FULL_ASCII, Match.CODE32, Match.VEHICLE, Match.CODABAR, Match.CHECK_DIGIT}
)
"""Rules that are too weak for a text that is itself guessed."""


class Rereading(NamedTuple):
    """The candidates, best first, and the scan as it is most likely meant, None if that is uncertain."""

    candidates: tuple[ScanCandidate, ...]
    meant: ParsedScan | None


def reread(scan: ParsedScan, code_type: str = "") -> Rereading:
    """Return what else a scan may be; `code_type` is its hint."""
    usual = _in_usual_characters(scan, code_type) if not scan.text.isascii() else None
    candidates = tuple(ScanCandidate(Match.NFKC, one.comparisons) for one in candidates_of(usual)) if usual else ()
    is_on_image = scan.symbology is not None and not scan.identifier
    if is_on_image or scan.elements or _is_evident(scan):
        return Rereading(candidates, usual)
    typed = [_parsed(text, code_type, scan.patterns) for text in retyped(scan.text)]
    evident = [reading for reading in typed if _is_evident(reading)]
    return Rereading(candidates + _ranked(typed, evident), usual or _meant(evident, code_type))


def _in_usual_characters(scan: ParsedScan, code_type: str) -> ParsedScan | None:
    """Return the scan in Unicode's form NFKC with ASCII digits, None if other characters remain."""
    normal = unicodedata.normalize("NFKC", scan.text)
    text = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in normal)
    return ParsedScan(text, code_type, scan.symbology, scan.patterns) if text.isascii() else None


def _parsed(text: str, code_type: str, patterns: Sequence[InStorePattern]) -> ParsedScan:
    scan = ParsedScan(text, code_type, patterns=patterns)
    if scan.payload is None and scan.bare.startswith("{") and PAYLOAD in text.lower():
        return ParsedScan(f"{text}}}", code_type)  # a dead key at the end yields no character
    return scan


def _is_evident(scan: ParsedScan) -> bool:
    """Return whether a text can hardly be anything else: a payload, a pack's data, or a number with a check digit."""
    return scan.payload is not None or scan.pack is not None or any(scan.numbers) or bool(scan.gtins)


def _ranked(typed: list[ParsedScan], evident: list[ParsedScan]) -> tuple[ScanCandidate, ...]:
    of_evident, of_all = _sure(evident), _sure(typed)
    ranks = (
        (Match.JSON, [one for match, one in of_evident if match is Match.JSON]),
        (Match.KEYBOARD, [one for match, one in of_evident if match is not Match.CASE]),
        (Match.KEYBOARD, [one for match, one in of_all if match is not Match.CASE]),
        (Match.KEYBOARD, [one for match, one in of_all if match is Match.CASE]),
    )
    return tuple(ScanCandidate(match, tuple(dict.fromkeys(compared))) for match, compared in ranks if compared)


def _sure(scans: list[ParsedScan]) -> list[tuple[Match, Comparison]]:
    """Return the comparisons of all scans by the rules that guess nothing."""
    return [
        (candidate.match, comparison)
        for scan in scans
        for candidate in candidates_of(scan)
        if candidate.match not in _GUESSES
        for comparison in candidate.comparisons
    ]


def _meant(evident: list[ParsedScan], code_type: str) -> ParsedScan | None:
    """Return the evident reading if all of them have the same code or number, with the rest only if that agrees too."""
    codes = {scan.code or scan.named_gtin or scan.bare for scan in evident}
    if len(codes) != 1:
        return None
    payloads = {scan.payload for scan in evident}
    return evident[0] if len(payloads) == 1 else ParsedScan(codes.pop(), code_type)
