"""The application identifiers (AIs) of GS1, with the format of each one's value.

Formats are those of the GS1 Barcode Syntax Dictionary: N digits, X character set 82, Y set 39, Z set 64;
`N14` exactly 14, `X..20` 1 to 20, `[…]` optional, `#` a component that ends with a check digit. A `:` precedes each
further rule of a component, by the name of the dictionary's linter; see `value_rules`. Rules for company prefixes and
for the fields of coupons are left out: GS1 does not publish the prefixes, and coupons are rare. AIs are written
as ranges; `[0-5]` after a range is one more digit.

The check digit of (8003) also covers its first digit, which is always zero and adds nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from string import ascii_letters, ascii_uppercase, digits

_FORMAT_BY_AIS = {
    "00": "N18#",
    "01-03": "N14#",
    "10": "X..20",
    "11-13 15-17": "N6:yymmd0",
    "20": "N2",
    "21-22": "X..20",
    "235": "X..28",
    "240-241": "X..30",
    "242": "N..6",
    "243": "X..20",
    "250-251": "X..30",
    "253": "N13# [X..17]",
    "254": "X..20",
    "255": "N13# [N..12]",
    "30": "N..8",
    "310-316[0-5] 320-337[0-5] 340-357[0-5] 360-369[0-5]": "N6",
    "37": "N..8",
    "390[0-9] 392[0-9]": "N..15",
    "391[0-9] 393[0-9]": "N3:iso4217 N..15",
    "394[0-3]": "N4",
    "395[0-5]": "N6",
    "400-401 403": "X..30",
    "402": "N17#",
    "410-417": "N13#",
    "420": "X..20",
    "421": "N3:iso3166 X..9",
    "422 424 426": "N3:iso3166",
    "423 425": "N3:iso3166 [N3:iso3166] [N3:iso3166] [N3:iso3166] [N3:iso3166]",
    "427": "X..3",
    "4300-4301 4310-4311 4320": "X..35:pcenc",
    "4302-4306 4312-4316": "X..70:pcenc",
    "4307 4317": "X2:iso3166alpha2",
    "4308 4319": "X..30",
    "4309": "N10:latitude N10:longitude",
    "4318": "X..20",
    "4321-4323": "N1:yesno",
    "4324-4325": "N6:yymmd0 N4:hhmi",
    "4326": "N6:yymmdd",
    "4330-4333": "N6 [X1:hyphen]",
    "7001": "N13",
    "7002": "X..30",
    "7003": "N6:yymmdd N4:hhmi",
    "7004": "N..4",
    "7005": "X..12",
    "7006": "N6:yymmdd",
    "7007": "N6:yymmdd [N6:yymmdd]",
    "7008": "X..3",
    "7009": "X..10",
    "7010": "X..2",
    "7011": "N6:yymmdd [N4:hhmi]",
    "7020-7022": "X..20",
    "7023": "X..30",
    "7030-7039": "N3:iso3166999 X..27",
    "7040": "N1 X2 X1:importeridx",
    "7041": "X..4:packagetype",
    "710-717": "X..20",
    "7230-7239": "X2 X..28",
    "7240": "X..20",
    "7241": "N2:mediatype",
    "7242": "X..25",
    "7250": "N8:yyyymmdd",
    "7251": "N8:yyyymmdd N4:hhmi",
    "7252": "N1:iso5218",
    "7253-7254 7259": "X..40:pcenc",
    "7255": "X..10",
    "7256": "X..90:pcenc",
    "7257": "X..70:pcenc",
    "7258": "X3:posinseqslash",
    "8001": "N4:nonzero N5:nonzero N3:nonzero N1:winding N1",
    "8002": "X..20",
    "8003": "N1:zero N13# [X..16]",
    "8004": "X..30",
    "8005": "N6",
    "8006 8026": "N14# N4:pieceoftotal",
    "8007": "X..34:iban",
    "8008": "N6:yymmdd N2:hh [N2:mi] [N2:ss]",
    "8009": "X..50",
    "8010": "Y..30",
    "8011": "N..12:nozeroprefix",
    "8012": "X..20",
    "8013": "X..25:csumalpha",
    "8014": "X..25:csumalpha:hasnondigit",
    "8020": "X..25",
    "8017-8018": "N18#",
    "8019": "N..10",
    "8030": "Z..90:cset64",
    "8040-8041": "N15",
    "8042": "N32",
    "8043": "N18 [N..2]",
    "8110 8112 8200": "X..70",
    "8111": "N4",
    "90": "X..30",
    "91-99": "X..90",
}

_PREDEFINED_PREFIXES = frozenset(f"{n:02}" for n in (*range(5), *range(11, 21), *range(31, 37), 41))

CHARACTERS = {
    "N": frozenset(digits),
    "X": frozenset(ascii_letters + digits + "!\"%&'()*+,-./:;<=>?_"),
    "Y": frozenset(ascii_uppercase + digits + "#-/"),
    "Z": frozenset(ascii_letters + digits + "-_="),
}
CHARACTERS_IN_WORDS = {
    "N": "digits",
    "X": "letters A-Z a-z, digits and !\"%&'()*+,-./:;<=>?_",
    "Y": "letters A-Z, digits and # - /",
    "Z": "letters A-Z a-z, digits and - _ =",
}


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a value: `length` characters, or at most `length` if it is `variable`, and the names of its rules."""

    length: int
    variable: bool
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Format:
    """The format of an AI's value.

    charsets: the character set of each position; uniform: the allowed characters if they are the same at all positions;
    lengths: the allowed lengths; checked: the index of the check digit;
    components: the parts of the value in order; a short value ends before the last of them.
    """

    charsets: str
    uniform: frozenset[str] | None
    lengths: frozenset[int]
    checked: int | None
    components: tuple[Component, ...]


def is_predefined(ai: str) -> bool:
    """Return whether the value's length is predefined, so that no separator follows it."""
    return ai[:2] in _PREDEFINED_PREFIXES


def expanded(ais: str) -> Iterator[str]:
    """Yield each AI of ranges such as `11-13 310-316[0-5]`."""
    for first, last, digit in re.findall(r"(\d+)(?:-(\d+))?(?:\[0-(\d)\])?", ais):
        for number in range(int(first), int(last or first) + 1):
            stem = str(number).zfill(len(first))
            yield from (f"{stem}{n}" for n in range(int(digit) + 1)) if digit else (stem,)


@cache  # most AIs share a layout, and so their memory
def _compiled(layout: str) -> Format:
    charsets, lengths, checked, components = "", {0}, None, []
    for optional, charset, up_to, size, check, rules in re.findall(r"(\[?)([NXYZ])(\.\.)?(\d+)(#?)((?::\w+)*)", layout):
        most = int(size)
        choices = {*(range(1, most + 1) if up_to else (most,)), *((0,) if optional else ())}
        charsets += charset * most
        lengths = {length + choice for length in lengths for choice in choices}
        checked = len(charsets) - 1 if check else checked
        components.append(Component(most, bool(up_to), tuple(filter(None, rules.split(":")))))
    uniform = CHARACTERS[charsets[0]] if len(set(charsets)) == 1 else None
    return Format(charsets, uniform, frozenset(lengths), checked, tuple(components))


_DATE = Component(6, variable=False, rules=("yymmd0",))
FORMATS = {ai: _compiled(layout) for ais, layout in _FORMAT_BY_AIS.items() for ai in expanded(ais)}

CHECKED_AIS = frozenset(ai for ai, layout in FORMATS.items() if layout.checked is not None)
"""Those whose values have a check digit."""
DATE_AIS = frozenset(ai for ai, layout in FORMATS.items() if layout.components == (_DATE,))
"""Those of a day or a month, YYMMDD."""
NAMED_AIS = {"lot": "10", "serial": "21", "expiry": "17"}
"""By the names that requests and responses have for them."""
