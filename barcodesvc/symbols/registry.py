"""Every symbology that the service can draw, as one table: names, rules in words, an example, and the encoder.

Names are compared without case, `-`, `_` and space, so that `Code 128`, `code-128` and `CODE128` are one. The rules are
what people are told (`GET /api/codes/formats`, the README); the encoders hold them. Quiet zones come with the symbol.

The least X-dimension is that of the standard or, where it leaves that to the application, of the trade: GS1 General
Specifications 5.12.3 (EAN, UPC and DataBar 0.264, ITF-14 0.495, GS1-128 0.250, GS1 DataMatrix 0.255, GS1 QR 0.396),
AIM's specifications of linear symbologies (0.191, which is 7.5 mil), ISO/IEC 15438 (PDF417 0.170); 0.250 is what
hand-held imagers resolve of the other matrix symbologies.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.symbols import code93, code128, linear, matrices, qr
from barcodesvc.symbols.modules import Symbol

_ASCII = "printable ASCII"
_DIGITS = "0-9"
_CODE39 = "A-Z, 0-9, space and - . $ / + %"
_GS1 = "a GS1 element string, bracketed `(01)…(10)…`, or raw where it needs no separator"
_ANY = "any"
_CODABAR = "0-9 and - $ : / . +, between two letters A-D, which are A and A if not given"
_ISBN = "0-9, hyphens and spaces"
_GS1_EXAMPLE = "(01)09521234543213(10)LOT7"
_NONE = "none"
_INSIDE = "part of the symbol"
_MOD_10 = "modulo 10, added or verified"
_MOD_11 = "modulo 11, added or verified"


@dataclass(frozen=True, slots=True, eq=False)
class Symbology:
    """A symbology: canonical name, further names, the encoder, and what it holds in words.

    encode: from content to modules; raises InvalidContent for what the symbology cannot hold.
    least_module: the least X-dimension, in mm.
    """

    name: str
    aliases: tuple[str, ...]
    encode: Callable[[str], Symbol]
    alphabet: str
    length: str
    check_digit: str
    example: str
    least_module: float


SYMBOLOGIES = (
    Symbology("CODE128", (), code128.code128, _ASCII, _ANY, _INSIDE, "AB-12345", 0.191),
    Symbology("CODE39", ("3of9",), linear.code39, _CODE39, _ANY, _NONE, "AB-12345", 0.191),
    Symbology("CODE93", (), code93.code93, _CODE39, _ANY, _INSIDE, "AB-12345", 0.191),
    Symbology("EAN13", ("EAN", "GTIN13"), linear.ean13, _DIGITS, "12 or 13", _MOD_10, "4006381333931", 0.264),
    Symbology("EAN8", ("GTIN8",), linear.ean8, _DIGITS, "7 or 8", _MOD_10, "96385074", 0.264),
    Symbology("UPCA", ("UPC", "GTIN12"), linear.upca, _DIGITS, "11 or 12", _MOD_10, "036000291452", 0.264),
    Symbology("ITF", ("I2OF5", "INTERLEAVED2OF5"), linear.itf, _DIGITS, "even", _NONE, "12345678", 0.191),
    Symbology(
        "ITF14", ("GTIN14", "GTIN", "EAN14"), linear.itf14, _DIGITS, "13 or 14", _MOD_10, "15400141288763", 0.495
    ),
    Symbology("CODABAR", ("NW7",), linear.codabar, _CODABAR, _ANY, _NONE, "A12345B", 0.191),
    Symbology("GS1-128", ("EAN128", "UCC128"), code128.gs1_128, _GS1, "1-48", _INSIDE, _GS1_EXAMPLE, 0.250),
    Symbology("PZN", ("PZN8",), linear.pzn, "0-9, after an optional PZN or -", "7 or 8", _MOD_11, "12345626", 0.191),
    Symbology("ISBN13", ("ISBN",), linear.isbn13, _ISBN, "12 or 13", _MOD_10, "978-0-306-40615-7", 0.264),
    Symbology("ISSN", (), linear.issn, "0-9, at the end X, hyphens and spaces", "7 or 8", _MOD_11, "2434-561X", 0.264),
    Symbology("QR", ("QRCODE",), qr.qr, "any text", _ANY, _INSIDE, "AB-12345", 0.250),
    Symbology("DATAMATRIX", ("ECC200",), matrices.data_matrix, _ASCII, _ANY, _INSIDE, "AB-12345", 0.250),
    Symbology("AZTEC", ("AZTECCODE",), matrices.aztec, _ASCII, _ANY, _INSIDE, "AB-12345", 0.250),
    Symbology("PDF417", (), matrices.pdf417, _ASCII, _ANY, _INSIDE, "AB-12345", 0.170),
    Symbology("RMQR", ("RMQRCODE",), matrices.rmqr, _ASCII, _ANY, _INSIDE, "AB-12345", 0.250),
    Symbology("GS1DATAMATRIX", (), matrices.gs1_data_matrix, _GS1, _ANY, _INSIDE, _GS1_EXAMPLE, 0.255),
    Symbology("GS1QR", ("GS1QRCODE",), matrices.gs1_qr, _GS1, _ANY, _INSIDE, _GS1_EXAMPLE, 0.396),
)


def _normal(name: str) -> str:
    return name.casefold().translate({ord(character): None for character in "-_ "})


_BY_NAME = {_normal(name): entry for entry in SYMBOLOGIES for name in (entry.name, *entry.aliases)}


def find_symbology(name: str, field: str = "format") -> Symbology:
    """Return the symbology of this name or alias; raises InvalidInput that offers the nearest names."""
    found = _BY_NAME.get(_normal(name))
    if found is None:
        raise InvalidInput.of(FieldProblem(field, _unknown(name), name))
    return found


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(_normal(name), _BY_NAME, n=3)
    offered = dict.fromkeys(_BY_NAME[key].name for key in near) or [entry.name for entry in SYMBOLOGIES]
    return f"no such symbology; {'did you mean' if near else 'there are'} {', '.join(offered)}"
