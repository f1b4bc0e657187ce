"""Every symbology is compared with zint, module for module, over its alphabet and lengths.

zxing-cpp contains zint's encoders: for what it encodes, this shows that the service requests the right symbol in the
right way. Reading back shows that the encoders are right. If two encoders may differ and both be right, the peer's
entry says why and what is compared.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pytest
import zint
from hypothesis import given, strategies as st
from zint import InputMode, OutputOptions, Symbology

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.modules import Bars, Matrix, Symbol as Drawn
from barcodesvc.symbols.registry import SYMBOLOGIES, find_symbology
from tests.properties import examples
from tests.symbols.contents import CONTENTS

SQUARE = 100
"""zint's DM_SQUARE: among the sizes of Data Matrix only square ones."""
BYTES_OF_A_ROW = 144


def bracketed(content: str) -> str:
    """Return an element string in zint's notation."""
    return content.replace("(", "[").replace(")", "]")


def from_code_set(code_set: str) -> Callable[[str], str]:
    """Return the text that keeps zint's Code 128 to one code set: an escape sequence, and backslashes doubled."""
    return lambda content: f"\\^{code_set}" + content.replace("\\", "\\\\")


@dataclass(frozen=True)
class Peer:
    """How to make zint draw the same symbol.

    written: the content in zint's notation; options: attributes of `zint.Symbol`; alike: the part of a row of modules
    that both have in common.
    """

    symbology: Symbology
    written: Callable[[str], str] = str
    options: dict[str, Any] = field(default_factory=dict)
    alike: Callable[[str], str] = str


def wide_and_narrow(row: str) -> str:
    """Return which elements are wide: the service draws them three modules wide, zint two; both are allowed."""
    return "".join("w" if len(list(run)) > 1 else "n" for _, run in groupby(row))


ESCAPES = {"input_mode": InputMode.EXTRA_ESCAPE}

PEERS = {
    "CODE128": Peer(Symbology.CODE128),
    "CODE128A": Peer(Symbology.CODE128, from_code_set("A"), ESCAPES),
    "CODE128B": Peer(Symbology.CODE128, from_code_set("B"), ESCAPES),
    "CODE128C": Peer(Symbology.CODE128, from_code_set("C"), ESCAPES),
    "CODE39": Peer(Symbology.CODE39, alike=wide_and_narrow),
    "CODE93": Peer(Symbology.CODE93),
    "EAN13": Peer(Symbology.EANX),
    "EAN8": Peer(Symbology.EANX),
    "EAN5": Peer(Symbology.EANX),
    "EAN2": Peer(Symbology.EANX),
    "UPCA": Peer(Symbology.UPCA),
    "UPCE": Peer(Symbology.UPCE),
    "JAN": Peer(Symbology.EANX),
    "ISBN13": Peer(Symbology.EANX),
    "ISBN10": Peer(Symbology.EANX, "978{}".format),
    "ISSN": Peer(Symbology.EANX, "977{}00".format),
    "ITF": Peer(Symbology.C25INTER),
    "ITF14": Peer(Symbology.ITF14),
    "CODABAR": Peer(Symbology.CODABAR, alike=wide_and_narrow),
    "MSI": Peer(Symbology.MSI_PLESSEY, options={"option_2": 1}),
    "PHARMACODE": Peer(Symbology.PHARMA),
    "PZN": Peer(Symbology.PZN, alike=wide_and_narrow),
    "GS1-128": Peer(Symbology.GS1_128, bracketed),
    "DATABAROMNI": Peer(Symbology.DBAR_OMN),
    "DATABARSTACKED": Peer(Symbology.DBAR_STK),
    "DATABARSTACKEDOMNI": Peer(Symbology.DBAR_OMNSTK),
    "DATABARLIMITED": Peer(Symbology.DBAR_LTD),
    "DATABAREXPANDED": Peer(Symbology.DBAR_EXP, bracketed),
    "DATABAREXPANDEDSTACKED": Peer(Symbology.DBAR_EXPSTK, bracketed),
    "QR": Peer(Symbology.QRCODE, options={"option_1": 2}),
    "MICROQR": Peer(Symbology.MICROQR),
    "RMQR": Peer(Symbology.RMQR),
    "GS1QR": Peer(Symbology.QRCODE, bracketed, {"input_mode": InputMode.GS1}),
    "DATAMATRIX": Peer(Symbology.DATAMATRIX, options={"option_3": SQUARE}),
    "GS1DATAMATRIX": Peer(Symbology.DATAMATRIX, bracketed, {"input_mode": InputMode.GS1, "option_3": SQUARE}),
    "AZTEC": Peer(Symbology.AZTEC),
    "PDF417": Peer(Symbology.PDF417),
    "MICROPDF417": Peer(Symbology.MICROPDF417),
}


def drawn_by_zint(peer: Peer, content: str) -> zint.Symbol:
    """Return the symbol that zint makes."""
    symbol = zint.Symbol()
    symbol.symbology = peer.symbology
    symbol.output_options |= OutputOptions.BARCODE_NO_QUIET_ZONES
    symbol.show_text = False
    for name, value in peer.options.items():
        setattr(symbol, name, value)
    symbol.encode(peer.written(content))
    return symbol


def row_of(symbol: zint.Symbol) -> list[str]:
    """Return the modules of a linear symbol, from the first to the last dark one."""
    packed = bytes(symbol.encoded_data)[:BYTES_OF_A_ROW]
    return ["".join(f"{byte:08b}"[::-1] for byte in packed)[: symbol.width].strip("0")]


def rows_of(symbol: zint.Symbol) -> list[str]:
    """Return the pixels of a matrix symbol at one pixel a module, so that the heights of its rows show."""
    symbol.scale = 0.5
    symbol.buffer()
    assert symbol.bitmap is not None
    assert symbol.bitmap.shape is not None
    height, width, channels = symbol.bitmap.shape
    dark = bytes(symbol.bitmap)[::channels].translate(b"1" + b"0" * 255).decode()
    return [dark[row * width : (row + 1) * width] for row in range(height)]


def dark_rows(symbol: Drawn) -> list[str]:
    """Return the rows of a symbol from its first to its last dark module, one row for a linear symbol."""
    if isinstance(symbol, Bars):
        return ["".join("10"[index % 2] * run for index, run in enumerate(symbol.runs))]
    return ["".join(map(str, row)) for row in symbol.rows]


def check_bars(bars: Bars) -> None:
    """Check that a linear symbol begins and ends with a bar and that its captions do not overlap within it."""
    assert len(bars.runs) % 2 == 1
    assert min(bars.runs) >= 1
    assert bars.width == bars.quiet_left + sum(bars.runs) + bars.quiet_right
    assert all(index % 2 == 0 and 0 <= index < len(bars.runs) for index in bars.guards)
    captions = [*bars.captions, *([bars.add_on.caption] if bars.add_on else [])]
    edges = [edge for caption in captions for edge in (caption.start, caption.stop)]
    assert edges == sorted(edges)
    assert edges[0] >= 0
    assert edges[-1] <= bars.width
    assert all(caption.start < caption.stop for caption in captions)


def check_matrix(matrix: Matrix) -> None:
    """Check that a matrix symbol is a rectangle of dark and light modules."""
    assert len({len(row) for row in matrix.rows}) == 1
    assert set(b"".join(matrix.rows)) == {0, 1}
    assert matrix.width == len(matrix.rows[0]) + 2 * matrix.quiet
    assert matrix.height == len(matrix.rows) + 2 * matrix.quiet


def test_every_symbology_has_a_peer() -> None:
    """No symbology can be added without a comparison with zint here."""
    assert set(PEERS) == {entry.name for entry in SYMBOLOGIES}


@pytest.mark.parametrize("name", PEERS)
@examples(60, derandomize=True)
@given(data=st.data())
def test_the_modules_are_those_of_zint(name: str, data: st.DataObject) -> None:
    """Both draw the same bars and the same rows for the same content, which writers can draw without checks."""
    peer = PEERS[name]
    content = data.draw(CONTENTS[name])
    try:
        symbol = find_symbology(name).encode(content)
    except InvalidContent:
        with pytest.raises(RuntimeError):
            drawn_by_zint(peer, content)
        return
    if isinstance(symbol, Bars):
        check_bars(symbol)
        theirs = row_of(drawn_by_zint(peer, content))
    else:
        check_matrix(symbol)
        theirs = rows_of(drawn_by_zint(peer, content))
    assert [peer.alike(row) for row in dark_rows(symbol)] == [peer.alike(row) for row in theirs]
