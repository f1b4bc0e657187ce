"""What a scanner sent, turned into candidates: which stored key to compare with which value, best rule first.

    exact               the text as sent, then without white space and control characters at its ends
    json                `product_code` of the service's own QR payload
    aim                 the text behind a symbology identifier such as `]E0` (ISO/IEC 15424)
    gs1, digital_link   the GTIN in a GS1 element string or in the path of a web address
    gtin                the text is a GTIN itself; 8, 12, 13 and 14 digits are compared as 14
    shortened_gtin      the GTIN of the rules before, against stored codes that lost their zeros in front
    case_insensitive    letters flipped by Code 39 or Caps Lock

The order goes from knowledge to guess. A stored code wins over every reading of it: a shop may call a
product `]C1-A` or `(01)X`, and that name must find it. A structure that says "GTIN" wins over digits that
look like one. Lost zeros and flipped letters come last, since there two products can be taken for each
other; from `aim` on, the store counts a candidate only if exactly one product fits. The hint `code_type` is
no input: a wrong hint must not matter.

Rule: pure, total, bounded. Any text gives at most 16 candidates in linear time and no exception. Values
that no product code can have (it is printable ASCII) are left out, so that lone surrogates never reach the
database.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from barcodesvc.gtin import gtin14
from barcodesvc.scan.digital_link import gtin_of_link
from barcodesvc.scan.element_string import gtin_of_element_string

_EDGES = "".join(map(chr, range(0x21))) + "\x7f\x85\xa0\u200b\u2028\u2029\u3000\ufeff"
_SYMBOLOGY_IDENTIFIER = re.compile(r"\][A-Za-z][0-9A-Za-z]")


class Match(StrEnum):
    """The rule that leads to a product: `data.match` of the answer."""

    EXACT = "exact"
    JSON = "json"
    AIM = "aim"
    GS1 = "gs1"
    DIGITAL_LINK = "digital_link"
    GTIN = "gtin"
    SHORTENED_GTIN = "shortened_gtin"
    CASE = "case_insensitive"


class Key(StrEnum):
    """The stored key of a product that a candidate is compared with.

    CODE is the product code itself, GTIN and SHORT_GTIN are `gtin.gtin14` and `gtin.gtin14_of_shortened`
    of it, FOLDED is the product code in lower case.
    """

    CODE = "code"
    GTIN = "gtin"
    SHORT_GTIN = "short_gtin"
    FOLDED = "folded"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One comparison: products whose stored `key` equals `value` fit by the rule `match`."""

    match: Match
    key: Key
    value: str


def candidates(code_data: str) -> tuple[Candidate, ...]:
    """Return at most 16 different comparisons, best first; none where no product code could fit."""
    first_of_each: dict[tuple[Key, str], Candidate] = {}
    for candidate in _ranked(code_data):
        first_of_each.setdefault((candidate.key, candidate.value), candidate)
    return tuple(first_of_each.values())


def _ranked(code_data: str) -> Iterator[Candidate]:
    text = code_data.strip(_EDGES)
    bare = _without_identifier(text)
    payload = _payload_code(bare)
    yield from _codes(Match.EXACT, code_data, text)
    yield from _codes(Match.JSON, payload)
    yield from _codes(Match.AIM, bare)
    gtins = {
        Match.GS1: gtin_of_element_string(bare),
        Match.DIGITAL_LINK: gtin_of_link(bare),
        Match.GTIN: gtin14(payload or bare),
    }
    found = {match: gtin for match, gtin in gtins.items() if gtin is not None}
    yield from (Candidate(match, Key.GTIN, gtin) for match, gtin in found.items())
    yield from (Candidate(Match.SHORTENED_GTIN, Key.SHORT_GTIN, gtin) for gtin in found.values())
    for code in filter(_is_storable, (text, payload, bare)):
        yield Candidate(Match.CASE, Key.FOLDED, code.lower())


def _codes(match: Match, *codes: str) -> Iterator[Candidate]:
    yield from (Candidate(match, Key.CODE, code) for code in codes if _is_storable(code))


def _is_storable(code: str) -> bool:
    return code != "" and code.isascii() and code.isprintable()


def _without_identifier(text: str) -> str:
    identifier = _SYMBOLOGY_IDENTIFIER.match(text)
    return text[identifier.end() :].strip(_EDGES) if identifier else text


def _payload_code(text: str) -> str:
    """Return the product code of a JSON payload, empty where there is none."""
    if not text.startswith("{"):
        return ""
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    code = payload.get("product_code")
    return code if isinstance(code, str) else ""
