"""Symbols that no reader here reads, or that zint's own encoders draw, compared with bwip-js, an independent encoder.

It runs under Node, from where `scripts/peers` installs it or from NODE_PATH, and is skipped without either.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, strategies as st

from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.gtin import check_digit
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import find_symbology
from tests.properties import examples
from tests.symbols.contents import CONTENTS, Texts, digits, text, with_add_on
from tests.symbols.dark_rows import dark_rows

pytestmark = pytest.mark.full_run

SCRIPT = Path(__file__).with_name("bwip_js_rows.cjs")
INSTALLED = Path(__file__).parents[2] / ".venv" / "bwip-js" / "node_modules"
ENVIRONMENT = {**os.environ, "NODE_PATH": os.pathsep.join([str(INSTALLED), os.environ.get("NODE_PATH", "")])}


def drawn_by_bwip_js(asked: list[tuple[str, str, dict[str, Any]]]) -> list[list[str]]:
    """Return the rows of each symbol."""
    command = ["node", str(SCRIPT)]
    done = subprocess.run(  # noqa: S603 - the script next to this file
        command, input=json.dumps(asked), env=ENVIRONMENT, capture_output=True, text=True, check=True, timeout=60
    )
    rows: list[list[str]] = json.loads(done.stdout)
    return rows


@pytest.fixture(scope="session")
def bwip_js() -> None:
    """Skip without Node or bwip-js."""
    try:
        drawn_by_bwip_js([])
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs Node and bwip-js, which scripts/peers installs")


def of_size(symbol: Symbol) -> dict[str, Any]:
    """Return the size of a MicroPDF417, whose choice is free: columns by the width, rows two modules high."""
    rows = dark_rows(symbol)
    return {"columns": {38: 1, 55: 2, 82: 3, 99: 4}[len(rows[0])], "rows": len(rows) // 2}


@dataclass(frozen=True)
class Peer:
    """How to make bwip-js draw the same symbol.

    contents: those on which both agree; written: the content in bwip-js's notation; options: its own, for a symbol.
    """

    bcid: str
    contents: Texts
    written: Callable[[str], str] = str
    options: Callable[[Symbol], dict[str, Any]] = field(default=lambda _: {})


def gtin(content: str) -> str:
    """Return the element string of 13 digits and their check digit."""
    return f"(01){content}{check_digit(content)}"


def spaced(content: str) -> str:
    """Return a number with its add-on after a space."""
    return content.replace("+", " ")


PEERS = {
    "CODE93": Peer("code93", CONTENTS["CODE93"], options=lambda _: {"includecheck": True}),
    "EAN2": Peer("ean2", CONTENTS["EAN2"]),
    "EAN5": Peer("ean5", CONTENTS["EAN5"]),
    "EAN13": Peer("ean13", CONTENTS["EAN13"], spaced, lambda _: {"addongap": 7}),
    "UPCA": Peer("upca", CONTENTS["UPCA"], spaced, lambda _: {"addongap": 9}),
    "UPCE": Peer("upce", with_add_on(digits(4).map("0{}17".format)), spaced, lambda _: {"addongap": 7}),
    # it computes the check digit of a longer number in floating point
    "MSI": Peer("msi", text("0123456789", 1, 18), options=lambda _: {"includecheck": True}),
    "PHARMACODE": Peer("pharmacode", CONTENTS["PHARMACODE"]),
    "DATABAROMNI": Peer("databaromni", CONTENTS["DATABAROMNI"], gtin),
    "DATABARSTACKED": Peer("databarstacked", CONTENTS["DATABARSTACKED"], gtin),
    "DATABARSTACKEDOMNI": Peer("databarstackedomni", CONTENTS["DATABARSTACKEDOMNI"], gtin),
    "DATABARLIMITED": Peer("databarlimited", CONTENTS["DATABARLIMITED"], gtin),
    # whether the identifiers belong together is not judged here
    "DATABAREXPANDED": Peer("databarexpanded", CONTENTS["DATABAREXPANDED"], options=lambda _: {"dontlint": True}),
    "DATABAREXPANDEDSTACKED": Peer(
        "databarexpandedstacked", CONTENTS["DATABAREXPANDEDSTACKED"], options=lambda _: {"dontlint": True}
    ),
    # where to change modes is a matter of judgement: contents that ask for one, and some letters that pay for it
    "MICROQR": Peer("microqrcode", text("0123456789", 1, 35) | text("ABCDEF", 1, 21) | text("abcdef", 1, 15)),
    "MICROPDF417": Peer("micropdf417", text("abcdefghijklm", 8, 64) | text("NOPQRSTUVWXYZ", 8, 64), options=of_size),
}


def distinct(rows: Iterable[str]) -> list[str]:
    """Return the rows without repetition and outer light modules: bwip-js gives heights separately, in points."""
    kept = [row for row, _ in groupby(rows)]
    return [kept[0].strip("0")] if len(kept) == 1 else kept


@pytest.mark.usefixtures("bwip_js")
@pytest.mark.parametrize("name", PEERS)
@examples(2, derandomize=True, phases=[Phase.generate])
@given(data=st.data())
def test_the_modules_are_those_of_bwip_js(name: str, data: st.DataObject) -> None:
    """Both draw the same bars and the same rows for the same content."""
    peer = PEERS[name]
    symbols: dict[str, Symbol] = {}
    for content in data.draw(st.lists(peer.contents, min_size=30, max_size=30, unique=True)):
        try:
            symbols[content] = find_symbology(name).encode(content)
        except InvalidContent:
            continue
    asked = [(peer.bcid, peer.written(content), peer.options(symbol)) for content, symbol in symbols.items()]
    for (content, symbol), rows in zip(symbols.items(), drawn_by_bwip_js(asked), strict=True):
        assert distinct(dark_rows(symbol)) == distinct(rows), content
