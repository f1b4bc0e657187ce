r"""The further codes of a product as the text of a cell, in imports and exports.

    4006381333948*6 (box of six); A-17

Entries are separated by `;`. Each is a code, then `*` and the pack quantity unless that is 1, then a note in brackets
unless there is none. A backslash stands before each `\ ; * ( )` of a code or a note, and before white space at its
ends, so that what is exported is imported as the same.
"""

import re
from collections.abc import Iterable

from barcodesvc.store.staging import OtherCode

_SPECIAL = re.compile(r"[\\;*()]|^\s|\s$")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ENTRY = re.compile(
    r"\s*(?P<code>(?:\\.|[^\\;*()])+?)\s*(?:\*\s*(?P<pack>[0-9]{1,9})\s*)?(?:\((?P<note>(?:\\.|[^\\()])*)\)\s*)?(?:;|$)",
    re.DOTALL,
)


def written(codes: Iterable[OtherCode]) -> str:
    """Return the text of a cell."""
    return "; ".join(map(_entry, codes))


def read(text: str) -> list[OtherCode]:
    """Return the codes in a cell, in order; raises ValueError for a text that is not written so."""
    codes, place = [], 0
    while place < len(text.rstrip()):
        found = _ENTRY.match(text, place)
        if found is None:
            raise ValueError(
                f"{text[place:].strip()[:40]!r} is not a code such as 4006381333948*6 (box of six); separate codes by "
                "semicolons, and put a backslash before each \\ ; * ( ) in them"
            )
        codes.append(OtherCode(_plain(found["code"]), int(found["pack"] or 1), _plain(found["note"] or "").strip()))
        place = found.end()
    return codes


def _entry(code: OtherCode) -> str:
    pack = f"*{code.pack_quantity}" if code.pack_quantity != 1 else ""
    note = f" ({_escaped(code.note)})" if code.note else ""
    return f"{_escaped(code.code)}{pack}{note}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)
