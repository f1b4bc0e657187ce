"""A bound on the labels of a job: a label that needs more room than each of them.

If it has a layout, all of them have one, and a file can begin at once. To lay out 10,000 labels first takes a second.

Rule: the bound is only known for symbologies that hold every product code and never shrink as it grows, and for plain
text. Twice the longest code, in the widest letters, covers all that a symbology gains by its code sets and modes. A job
without a bound is checked label by label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from barcodesvc.errors import InvalidContent
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheet_layout import Label, lay_out
from barcodesvc.labels.sheets import Sheet
from barcodesvc.labels.text.glyphs import PLAIN
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.symbols.modules import Bars, Symbol
from barcodesvc.symbols.registry import Symbology

_OTHER_CODES = {
    "CODE128": (),
    "CODE128B": (),
    "QR": (),
    "DATAMATRIX": (),
    "BEST": ("4006381333931", "036000291452", "96385074"),
}
"""The symbologies with a bound, and codes that they encode as symbols of another kind."""
_LONGEST = 40
"""The longest codes with a bound: Code 128 holds about a hundred characters."""
_WIDEST = "@"
_TALLEST = "".join(sorted(PLAIN))


def all_have_room(
    symbology: Symbology,
    texts: Mapping[str, Sequence[str]],
    typesetter: Typesetter,
    sheet: Sheet,
    settings: PrintSettings,
) -> bool:
    """Return whether each label surely has a layout; `texts` has those of each code. False if this is not known."""
    longest = max(map(len, texts))
    if symbology.name not in _OTHER_CODES or longest > _LONGEST:
        return False
    different = set(texts.values())
    if not typesetter.is_plain(" ".join(chain.from_iterable(different))):
        return False
    lines = (_TALLEST,) * max(map(len, different))
    code = _WIDEST * 2 * longest
    try:
        labels = [Label(symbol, code, lines) for symbol in _symbols(symbology, code)]
        list(lay_out(labels, sheet, settings).labels)
    except InvalidContent:
        return False
    return True


def _symbols(symbology: Symbology, code: str) -> Iterator[Symbol]:
    """Yield the largest symbols, with captions that are not shrunk for their width."""
    for content in (code, *_OTHER_CODES[symbology.name]):
        symbol = symbology.encode(content)
        if isinstance(symbol, Bars):
            symbol = replace(symbol, captions=tuple(replace(caption, text=".") for caption in symbol.captions))
        yield symbol
