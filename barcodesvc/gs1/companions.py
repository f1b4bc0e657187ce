"""Which AIs exclude each other, and which require another one (GS1 General Specifications 4.14 and 4.15).

The tables are the attributes `ex` and `req` of the GS1 Barcode Syntax Dictionary. AIs that exclude each other must not
be printed in one symbol. A required AI may be in another symbol on the same item, such as the GTIN in an EAN-13; only a
person can know whether it is.

Required AIs are in the order in which messages name them: the most common one, that of a trade item, comes first.

AIs are written as in `application_identifiers`; in a list, `31nn` is any AI of four digits that begins with 31, and
`01+21` means both together.
"""

import re
from collections.abc import Iterator, Sequence

from barcodesvc.gs1.application_identifiers import expanded
from barcodesvc.gs1.element_strings import Element

_EXCLUDED_BY_AIS = {
    "01": "255 37",
    "02": "01 03",
    "03": "01 02 37",
    "21": "235",
    "255": "01 02 415 8006 8020 8026",
    "390[0-9]": "391n 394n 8111",
    "392[0-9]": "393n",
    "394[0-3]": "8111",
    "395[0-5]": "392n 393n 8005",
    "420": "421",
    "421": "4307",
    "422-425": "426",
    "4330": "4331",
    "4332": "4333",
    "7250": "7251",
    "7259": "7256",
    "7253-7255": "7256 7259",
    "8006": "01 37",
    "8017": "8018",
    "8026": "02 8006",
}
_WITH_DECIMALS = re.compile("3[1-69]")
"""AIs whose last digit is the number of decimals: of AIs that differ only in this digit, a symbol contains one."""

_ITEM = "01 02 8006 8026"
_SOLD_BY_MEASURE = "30 31nn 32nn 35nn 36nn"
_REQUIRED_BY_AIS = {
    "02": "37",
    "10-11 13 15-16": f"{_ITEM} 03",
    "12": "8020",
    "17": f"{_ITEM} 03 255",
    "20 240-242 422 7001": _ITEM,
    "21": "01 8006 03",
    "22 235 243 710-717 8001 8014 8200": "01",
    "250": "01 8006; 21",
    "251 7021 7240 8012": "01 8006",
    "254": "414",
    "30 310-316[0-5] 320-329[0-5] 350-352[0-5] 356-357[0-5] 360-361[0-5] 364-366[0-5]": "01 02",
    "330-336[0-5] 340-349[0-5] 353-355[0-5] 362-363[0-5] 367-369[0-5] 8009": "00 01",
    "337[0-5]": "01",
    "37": "00; 02 8026",
    "390[0-9]": "255 8020",
    "391[0-9]": "8020",
    "392[0-9]": f"01; {_SOLD_BY_MEASURE}",
    "393[0-9] 395[0-5]": _SOLD_BY_MEASURE,
    "394[0-3] 8111": "255",
    "403 4300-4302 4304-4312 4314-4326 4330-4333 7041": "00",
    "415": "8020",
    "423-426 7002-7003 7005-7011 7030-7039 8005 8008": "01 02",
    "427": "01 02; 422",
    "4303": "4302",
    "4313": "4312",
    "7004": "01; 10",
    "7020": "01 8006; 416",
    "7022": "7021",
    "7230-7239": "01 8004",
    "7241-7242 7253-7256 8019": "8017 8018",
    "7250-7252 7257 7259": "8018",
    "7258": "8017+7259 8018+7259",
    "8007 8020": "415",
    "8011": "8010",
    "8026": "37",
    "8030": "01+21 00 253 255 8003 8004 8006+21 8010+8011 8017 8018",
}


def exclusion_of(elements: Sequence[Element]) -> tuple[int, int] | None:
    """Return the indexes of the first two elements that exclude each other or give one AI two values, None if none do.

    The second one has to go.
    """
    for second, element in enumerate(elements):
        for first, other in enumerate(elements[:second]):
            if _exclude(element, other):
                return first, second
    return None


def missing_in(elements: Sequence[Element]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each AI whose requirement the elements do not meet, once, and the alternatives, of which one is enough."""
    present = [element.ai for element in elements]
    for ai in dict.fromkeys(present):
        for required in _REQUIRED.get(ai, ()):
            if not any(_is_present(together, present) for together in required):
                yield ai, required


def _is_present(together: str, present: Sequence[str]) -> bool:
    return all(any(_fits(ai, pattern) for ai in present) for pattern in together.split("+"))


def _exclude(element: Element, other: Element) -> bool:
    if element.ai == other.ai:
        return element.value != other.value
    if element.ai[:3] == other.ai[:3] and _WITH_DECIMALS.match(element.ai):
        return True
    return any(
        _fits(excluded, pattern)
        for ai, excluded in ((element.ai, other.ai), (other.ai, element.ai))
        for pattern in _EXCLUDED.get(ai, ())
    )


def _fits(ai: str, pattern: str) -> bool:
    stem = pattern.rstrip("n")
    return ai == pattern or (stem != pattern and len(ai) == len(pattern) and ai.startswith(stem))


_EXCLUDED: dict[str, tuple[str, ...]] = {}
for _ais, _others in _EXCLUDED_BY_AIS.items():
    _EXCLUDED |= dict.fromkeys(expanded(_ais), tuple(_others.split()))
_REQUIRED: dict[str, tuple[tuple[str, ...], ...]] = {}
for _ais, _requirements in _REQUIRED_BY_AIS.items():
    _alternatives = tuple(tuple(alternatives.split()) for alternatives in _requirements.split("; "))
    _REQUIRED |= dict.fromkeys(expanded(_ais), _alternatives)
