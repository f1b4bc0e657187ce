"""Every symbology that the service can draw: one name, its aliases, its encoder.

Names are compared without case, `-`, `_` and space, so that `Code 128`, `code-128` and `CODE128` are one.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.symbols import code93, code128, linear, matrices, qr
from barcodesvc.symbols.modules import Symbol


@dataclass(frozen=True, slots=True)
class Symbology:
    """A symbology: canonical name, further names, and the encoder from content to modules.

    `encode` raises InvalidContent for what the symbology cannot hold.
    """

    name: str
    aliases: tuple[str, ...]
    encode: Callable[[str], Symbol]


SYMBOLOGIES = (
    Symbology("CODE128", (), code128.code128),
    Symbology("CODE39", ("3of9",), linear.code39),
    Symbology("CODE93", (), code93.code93),
    Symbology("EAN13", ("EAN", "GTIN13"), linear.ean13),
    Symbology("EAN8", ("GTIN8",), linear.ean8),
    Symbology("UPCA", ("UPC", "GTIN12"), linear.upca),
    Symbology("ITF", ("I2OF5", "INTERLEAVED2OF5"), linear.itf),
    Symbology("ITF14", ("GTIN14", "GTIN", "EAN14"), linear.itf14),
    Symbology("CODABAR", ("NW7",), linear.codabar),
    Symbology("GS1-128", ("EAN128", "UCC128"), code128.gs1_128),
    Symbology("PZN", ("PZN8",), linear.pzn),
    Symbology("ISBN13", ("ISBN",), linear.isbn13),
    Symbology("ISSN", (), linear.issn),
    Symbology("QR", ("QRCODE",), qr.qr),
    Symbology("DATAMATRIX", ("ECC200",), matrices.data_matrix),
    Symbology("AZTEC", ("AZTECCODE",), matrices.aztec),
    Symbology("PDF417", (), matrices.pdf417),
    Symbology("RMQR", ("RMQRCODE",), matrices.rmqr),
    Symbology("GS1DATAMATRIX", (), matrices.gs1_data_matrix),
    Symbology("GS1QR", ("GS1QRCODE",), matrices.gs1_qr),
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
