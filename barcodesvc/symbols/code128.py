"""Code 128 and GS1-128 (ISO/IEC 15417), with a quiet zone of 10 modules on either side (GS1 Gen. Specs. 5.4).

CODE128 and GS1-128 switch between the code sets, and are encoded by zxing-cpp, which contains zint's encoders: the
shortest symbol. python-barcode's own is often longer for codes such as `AB-12345`, and its release 0.16 loses a
leading `99`.

The symbologies of one code set are for readers or habits that expect it; their patterns are python-barcode's. Set A
contains space to `_`, set B printable ASCII, set C two digits in one character (ISO/IEC 15417 table 1).
"""

from collections.abc import Sequence

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.element_strings import to_bracketed
from barcodesvc.symbols.alphabets import (
    PRINTABLE_ASCII,
    PRINTABLE_ASCII_FITS,
    SET_A,
    SET_A_FITS,
    require_alphabet,
    require_pairs,
)
from barcodesvc.symbols.gs1_content import gs1_content
from barcodesvc.symbols.libraries import code128_tables, fitted, zxing_runs
from barcodesvc.symbols.modules import Bars, captioned_bars, run_lengths

_MOST_GS1_CHARACTERS = 48
_MODULUS = 103


def code128(content: str) -> Bars:
    """Encode printable ASCII as Code 128 (ISO/IEC 15417)."""
    require_alphabet("CODE128", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    return captioned_bars(fitted("CODE128", content, lambda text: zxing_runs(text, "Code128")), content)


def gs1_128(content: str) -> Bars:
    """Encode a GS1 element string, bracketed or raw, as GS1-128 (GS1 General Specifications 5.4)."""
    data = gs1_content("GS1-128", content)
    if data.length > _MOST_GS1_CHARACTERS:
        position = data.position(_MOST_GS1_CHARACTERS)
        raise InvalidContent(
            f"GS1-128: {data.length} characters of data, separators included, the first too many is at position "
            f"{position}; it takes {_MOST_GS1_CHARACTERS}",
            rule="length",
            position=position,
            fits=f"at most {_MOST_GS1_CHARACTERS} characters without the brackets",
        )
    return captioned_bars(zxing_runs(data.for_encoder, "Code128", gs1=True), to_bracketed(data.elements))


def code128a(content: str) -> Bars:
    """Encode space to `_` in code set A."""
    require_alphabet("CODE128A", content, SET_A, SET_A_FITS)
    return _bars("A", _values("A", content), content)


def code128b(content: str) -> Bars:
    """Encode printable ASCII in code set B."""
    require_alphabet("CODE128B", content, PRINTABLE_ASCII, PRINTABLE_ASCII_FITS)
    return _bars("B", _values("B", content), content)


def code128c(content: str) -> Bars:
    """Encode an even number of digits in code set C."""
    require_pairs("CODE128C", content)
    return _bars("C", [int(content[start : start + 2]) for start in range(0, len(content), 2)], content)


def _values(code_set: str, content: str) -> list[int]:
    values = getattr(code128_tables(), code_set)
    return [values[character] for character in content]


def _bars(code_set: str, values: Sequence[int], content: str) -> Bars:
    tables = code128_tables()
    start = tables.START_CODES[code_set]
    check = (start + sum(weight * value for weight, value in enumerate(values, start=1))) % _MODULUS
    patterns = [*(tables.CODES[value] for value in (start, *values, check)), tables.STOP, "11"]
    return captioned_bars(run_lengths("".join(patterns)), content)
