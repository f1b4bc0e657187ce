"""Texts: how they are cleaned, when they are blank or refused, and how they are compared.

Rule: surrounding white space is removed from a text, a line break inside it becomes one space, and any other control
character is refused. A text without visible characters is blank.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping

LONGEST_CODE = 64
"""Characters of the longest product code."""
LONGEST_TEXT = 500
"""Characters of the longest text that any field accepts."""
_LINE_BREAKS = "\n\v\f\r\x85\u2028\u2029"
"""The newline functions of Unicode 5.8; U+001C to U+001F count as ordinary control characters."""
_WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""The characters with the Unicode property White_Space."""
UNSEEN_AT_ENDS = _WHITE_SPACE + "".join(
    map(chr, (0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF))
)
"""White space, and the invisible characters that programs put before and behind a text that is copied from them."""
_INVISIBLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
"""Characters with the Unicode property Default_Ignorable_Code_Point, U+FFF9 to U+FFFB, the blank Braille pattern."""
_INVISIBLE_BEYOND = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
"""Invisible characters beyond U+FFFF, which readers of JSON Schema patterns spell differently."""
_BLANK = re.compile(rf"[{_INVISIBLE}{_INVISIBLE_BEYOND}\s]*")
_NOTHING_SEEN = re.compile(rf"[{_INVISIBLE}{_INVISIBLE_BEYOND}{_WHITE_SPACE}]++")
_UNSEEN_CHARACTERS = re.compile(rf"[{_INVISIBLE}{_INVISIBLE_BEYOND}]+")
_SEEN_PART = re.compile(rf"[{_INVISIBLE}{_INVISIBLE_BEYOND}\s]*+(.*[^{_INVISIBLE}{_INVISIBLE_BEYOND}\s])?", re.DOTALL)
_LINE_TEXT = re.compile(rf"[^{_WHITE_SPACE}](?:[^{_LINE_BREAKS}]*[^{_WHITE_SPACE}])?")
"""A line from its first to its last character that is not white space."""
_ACCENTS = re.compile("[\u0300-\u036f]+")
"""The block Combining Diacritical Marks."""
_UNACCENTED = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "ŧ": "t", "þ": "th"}
)
"""Latin letters that have no decomposition, and what people type for them."""
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff]")
"""The characters of the general categories Cc and Cs, which the stability of Unicode fixes."""

PLAIN_TEXT = r"^[^\u0000-\u001f\u007f-\u009f]*$"
"""Text that `refuse_control_characters` accepts; like LINES_OF_TEXT, a pattern for JSON Schema (ECMA-262)."""
LINES_OF_TEXT = r"^[^\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]*$"
"""Text that `clean_text` can turn into one without control characters; it still refuses a tab inside a line."""


class RefusedValueError(ValueError):
    """A value breaks a rule: `rule` is its name for programs, and `details` are what else they need to know."""

    def __init__(self, message: str, rule: str, **details: str) -> None:
        super().__init__(message)
        self.details = {"rule": rule, **details}


def clean_text(value: object) -> object:
    """Return the text on one line, with white space around its lines removed; other values are returned unchanged.

    A text of many lines that is too long for every field is cut to a beginning that is still too long.
    """
    if not isinstance(value, str):
        return value
    if not value.isascii() and _NOTHING_SEEN.fullmatch(value):
        return ""
    if value.isprintable():  # then a space is the only white space in it
        return value.strip(" ")
    return " ".join(_first_lines(value))


def without_unseen_ends(value: object) -> object:
    """Return the text without white space and invisible characters at its ends; other values are returned unchanged."""
    return value.strip(UNSEEN_AT_ENDS) if isinstance(value, str) else value


def _first_lines(text: str) -> Iterator[str]:
    """Yield the lines that are not blank until they are too long in total: a body may contain millions of them."""
    room = LONGEST_TEXT + 1
    for line in _LINE_TEXT.finditer(text):
        yield line[0]
        room -= len(line[0]) + 1
        if room < 0:
            return


def shows_nothing(text: str) -> bool:
    """Return whether a text is blank: empty, or only white space and invisible characters."""
    return not text or text.isspace() or (not text.isascii() and _BLANK.fullmatch(text) is not None)


def strip_invisible(text: str) -> str:
    """Return the text from its first to its last visible character."""
    if text.isascii():
        return text.strip()
    found = _SEEN_PART.match(text)
    return (found and found[1]) or ""


def without_invisible(text: str) -> str:
    """Return the text without invisible characters; white space is kept."""
    return text if text.isascii() else _UNSEEN_CHARACTERS.sub("", text)


def refuse_control_characters(value: str) -> str:
    """Return the text; raises RefusedValueError naming the first control character or lone surrogate."""
    found = None if value.isprintable() else _CONTROL.search(value)
    if found:
        message = f"control character U+{ord(found[0]):04X} at position {found.start() + 1}; remove it"
        raise RefusedValueError(message, "characters")
    return value


def fold(text: str) -> str:
    """Return the form in which texts are searched and sorted, without regard to case and accents.

    It is the compatibility decomposition, case-folded (Unicode 3.13, D146), without the accents of Latin, Greek and
    Cyrillic letters; marks of other scripts stay. So `Crème` and `CREME` are one text, as are `m²` and `m2`, and the
    four Turkish forms of the letter i.
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", text).upper().casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", folded).translate(_UNACCENTED))


def searched_text(description: str, attributes: Mapping[str, str]) -> str:
    """Return what searches look at besides the code: folded, the description and the values of attributes.

    Each is on a line; the values are in the order of their names.
    """
    if not attributes:
        return fold(description)
    return fold("\n".join([description, *(attributes[name] for name in sorted(attributes))]))
