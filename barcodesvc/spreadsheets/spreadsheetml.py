"""The escapes of SpreadsheetML for characters that XML cannot contain.

In a text, `_xHHHH_` is one UTF-16 unit, such as `_x000D_` for a carriage return (ECMA-376-1, 22.9.2.19, ST_Xstring). A
text that contains such a sequence literally begins it with `_x005F_`, the escaped underscore. So characters that XML
1.0 (2.2, Char) forbids, such as U+FFFF, pass a workbook unchanged. Lone surrogates are not text, and become U+FFFD.
"""

from __future__ import annotations

import re

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MUST_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
# an escaped character begins with an underscore itself; surrogates are replaced, not escaped
_LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}[_\x00-\x08\x0b-\x1f\ufffe\uffff])")
_SURROGATE = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Return the text with U+FFFD instead of every lone surrogate, which UTF-8 cannot encode."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def escape(text: str) -> str:
    """Return the text as the content of a SpreadsheetML string, before XML's own escaping."""
    unambiguous = _LOOKS_ESCAPED.sub("_x005F_", text)
    return _MUST_ESCAPE.sub(lambda match: f"_x{ord(match[0]):04X}_", replace_surrogates(unambiguous))


def unescape(text: str) -> str:
    """Return the text of a SpreadsheetML string."""
    if "_x" not in text:
        return text
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    if not _SURROGATE.search(plain):
        return plain
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
