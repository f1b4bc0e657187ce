from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from barcodesvc.errors import InvalidContent
from barcodesvc.labels.label_bound import all_have_room
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheet_layout import Label, lay_out
from barcodesvc.labels.sheets import named_sheet
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.symbols.registry import BEST, find_symbology
from tests.properties import examples
from tests.sweeps import sweep

CODES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40) | st.text(
    "0123456789", min_size=1, max_size=40
)
TEXTS = st.lists(st.text("aWÅķ j-, 8", min_size=1, max_size=60), max_size=3).map(tuple)


@examples(400, derandomize=True)
@given(
    name=st.sampled_from(["CODE128", "CODE128B", "QR", "DATAMATRIX"]),
    labels=st.dictionaries(CODES, TEXTS, min_size=1, max_size=4),
    sides=st.tuples(st.integers(10, 110), st.integers(8, 60)),
    size=st.floats(4, 20),
    dpi=st.sampled_from([203, 300, 600]),
)
def test_what_the_bound_allows_can_be_printed(
    name: str, labels: dict[str, tuple[str, ...]], sides: tuple[int, int], size: float, dpi: int
) -> None:
    """If the largest label has room, none of the others is refused, whatever their codes and texts."""
    symbology, sheet = find_symbology(name), named_sheet("{}x{}mm".format(*sides))
    settings = PrintSettings(font_size=size, dpi=dpi)
    if all_have_room(symbology, labels, Typesetter(), sheet, settings):
        lay_out(
            [Label(symbology.encode(code), code, texts) for code, texts in labels.items()], sheet, settings
        ).require_room()


@pytest.mark.parametrize(
    ("name", "labels", "sheet", "has_room"),
    [
        ("CODE128", {"AB-00000017": ("Bolt",)}, "100x50mm", True),
        ("BEST", {"4006381333931": ("Bolt",), "AB-1": ()}, "100x50mm", True),
        ("CODE128", {"AB-00000017": ("Bolt",)}, "20x10mm", False),
        ("CODE128", {"A": ("茶",)}, "100x50mm", False),
        ("CODE128", {"A": ("Βίδα",)}, "100x50mm", False),
        ("CODE128", {"A" * 41: ()}, "200x100mm", False),
        ("EAN13", {"4006381333931": ()}, "100x50mm", False),
    ],
)
def test_the_bound_is_known_for_usual_labels(
    name: str, labels: dict[str, tuple[str, ...]], sheet: str, *, has_room: bool
) -> None:
    """Codes of usual length with plain texts need no check of each label; all others are checked one by one."""
    symbology = BEST if name == "BEST" else find_symbology(name)
    assert all_have_room(symbology, labels, Typesetter(), named_sheet(sheet), PrintSettings(dpi=203)) is has_room


def test_a_label_that_is_too_small_is_refused_either_way() -> None:
    """Without a bound the label itself decides."""
    symbology, sheet = find_symbology("CODE128"), named_sheet("20x10mm")
    assert not all_have_room(symbology, {"AB-00000017": ()}, Typesetter(), sheet, PrintSettings())
    with pytest.raises(InvalidContent):
        lay_out([Label(symbology.encode("AB-00000017"), "AB-00000017")], sheet, PrintSettings()).require_room()


@sweep("name", ["CODE128", "QR"])
@sweep("tenths", range(80, 300))
def test_the_bound_knows_the_height_of_accents(name: str, tenths: int) -> None:
    """At the height where labels begin to have room, high and deep letters have it too."""
    symbology, sheet = find_symbology(name), named_sheet(f"40x{tenths / 10}mm")
    texts = ("Åķ",) * 3
    if all_have_room(symbology, {"AB-17": texts}, Typesetter(), sheet, PrintSettings()):
        lay_out([Label(symbology.encode("AB-17"), "AB-17", texts)], sheet, PrintSettings()).require_room()
