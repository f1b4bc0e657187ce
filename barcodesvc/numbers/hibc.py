"""Codes of the Health Industry Bar Code standard (HIBC), on packs of medical devices.

    +EHWD3551419G              primary data: four characters of the labeler, beginning with a letter, its article number
                               of 1 to 18 characters, and the unit of measure, a digit
    +EHWD3551419/$$900100F     the same with secondary data after a slash
    +$$8053290331260301104+$   secondary data in a symbol of their own: the character before the last is the check
                               character of the primary data that they belong to

The last character is a check character over all others, so the primary data look different alone and with secondary
data. Without it they are the same: this is the canonical form, `+EHWD3551419`. A check character may be a space, which
is lost at the end of a text. Asterisks around it are those of Code 39, as people read them below the bars.

Sources: ANSI/HIBC 2.6, the structures of primary and secondary data; its check character is that of ISO/IEC 16388.
"""

import re
from typing import NamedTuple

from barcodesvc.numbers.check_digits import modulo_43_character

_FLAG = "+"
_PRIMARY = re.compile(r"([A-Z][0-9A-Z]{3}[0-9A-Z]{1,18}[0-9])(?:/(.+))?")
_SECONDARY = re.compile(r"(?:\$|[0-9]{5}).*")
_LONGEST = 200


class Hibc(NamedTuple):
    """The data of a symbol without flags and check characters: primary or secondary ones may be empty."""

    primary: str
    secondary: str

    @property
    def canonical(self) -> str:
        """The canonical form of the primary data."""
        return _FLAG + self.primary

    @property
    def product_code(self) -> str:
        """The primary data as a symbol of their own has them."""
        return self.canonical + modulo_43_character(self.canonical)


def read_hibc(text: str) -> Hibc | None:
    """Return the data of an HIBC code, None for any other text."""
    text = text.strip("*")
    if not text.startswith(_FLAG) or len(text) > _LONGEST:
        return None
    checked = next((one for one in (text, f"{text} ") if modulo_43_character(one[:-1]) == one[-1]), None)
    if checked is None:
        return None
    primary = _PRIMARY.fullmatch(checked[1:-1])
    if primary:
        return Hibc(primary[1], primary[2] or "")
    secondary = _SECONDARY.fullmatch(checked[1:-2])
    return Hibc("", secondary[0]) if secondary else None
