"""The keys under which scans find a code of a product; they are stored next to it, the same for both engines.

    folded    the code in lower case
    number    the number that the code is in any spelling, see `canonical.number_key`
    main      that number before its add-on of two or five digits: a scanner may omit the add-on
    codabar   a Codabar number without its start and stop letters: a scanner may omit them

Rule: scans compare stored keys alone, so a change of this module needs a migration that derives them again.
"""

import re
from typing import NamedTuple

from barcodesvc.numbers.canonical import number_key
from barcodesvc.texts import fold

_ADD_ON_LENGTHS = frozenset({2, 5})
_IN_CODABAR_LETTERS = re.compile("[A-Da-d](.*)[A-Da-d]")


class CodeKeys(NamedTuple):
    """The keys of one code; None for what it is not."""

    folded: str
    number: str | None
    main: str | None
    codabar: str | None


NO_KEYS = CodeKeys("", None, None, None)
"""Those of no code."""


def code_keys(code: str) -> CodeKeys:
    """Return the keys of a product code; they take too long for many codes in the event loop."""
    number = number_key(code)
    main, _, add_on = (number or "").rpartition("+")
    framed = _IN_CODABAR_LETTERS.fullmatch(code)
    return CodeKeys(
        folded=fold(code),
        number=number,
        main=main if main and len(add_on) in _ADD_ON_LENGTHS else None,
        codabar=framed[1] if framed else None,
    )
