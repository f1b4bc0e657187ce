r"""Characters that XML cannot carry, as SpreadsheetML writes them: `_x000D_` is a carriage return.

ECMA-376-1, 22.9.2.19 (ST_Xstring): `_xHHHH_` stands for one UTF-16 unit, and a text that holds such a
sequence itself begins it with `_x005F_`, the escaped underscore. Characters that neither XML 1.0 (2.2, Char)
nor a file in UTF-8 can carry are replaced by U+FFFD on the way out.
"""

from __future__ import annotations

import re

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}[_\r])")  # a CR will begin with an underscore itself
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def replace_unwritable(text: str) -> str:
    """Return the text with U+FFFD for every character that XML 1.0 cannot carry."""
    return _UNWRITABLE.sub("\ufffd", text)


def escape(text: str) -> str:
    """Return the text as the content of a SpreadsheetML string, before XML's own escaping."""
    return _LOOKS_ESCAPED.sub("_x005F_", replace_unwritable(text)).replace("\r", "_x000D_")


def unescape(text: str) -> str:
    """Return the text that a SpreadsheetML string stands for."""
    if "_x" not in text:
        return text
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    if not _SURROGATE.search(plain):
        return plain
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
