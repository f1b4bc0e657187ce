from __future__ import annotations

import pytest

from barcodesvc.spreadsheets.format_sections import conditional_sections, first_section, section_for
from tests.sweeps import sweep


@pytest.mark.parametrize(
    ("code", "section"),
    [
        ("", ""),
        ("00000", "00000"),
        ("00000;-00000;0", "00000"),
        ('"a;b"00;0', '"a;b"00'),
        ("\\;00;0", "\\;00"),
        (";;;", ""),
        ('"00', ""),
    ],
)
def test_the_first_section_ends_at_the_first_bare_semicolon(code: str, section: str) -> None:
    """Quoted and escaped ones are characters like any other."""
    assert first_section(code) == section


@pytest.mark.parametrize("code", ["", "0;0", '"[<5]"0;00', "\\[<5]0;00", "[Red]0;[$-407]0", "[h]:mm"])
def test_a_format_without_conditions_has_no_conditional_sections(code: str) -> None:
    """Colours, locales and durations are in brackets too; quoted text is not a condition."""
    assert conditional_sections(code) == ()


@sweep(
    ("code", "sections"),
    [
        ("[<5]A;B", {4: "[<5]A", 5: "B", -1: "[<5]A"}),
        ("[<=5]A;B", {5: "[<=5]A", 5.5: "B"}),
        ("[=5]A;B", {5: "[=5]A", 4: "B"}),
        ("[<>5]A;B", {5: "B", 4: "[<>5]A"}),
        ("[>=5]A;B", {5: "[>=5]A", 4: "B"}),
        ("[>5]A;B", {5: "B", 6: "[>5]A"}),
        ("[ > -2.5 ]A;B", {-3: "B", 0: "[ > -2.5 ]A"}),
        ("[Red][<5]A;[Blue]B", {4: "[Red][<5]A", 5: "[Blue]B"}),
        ("[<5]A;[<9]B;C", {4: "[<5]A", 5: "[<9]B", 9: "C"}),
        ("[<5]A;B;@", {5: "B"}),
        ("[<5]A;[<9]B;C;@", {9: "C"}),
        ("[<5]A", {4: "[<5]A", 5: None}),
        ("[<5]A;[<9]B", {9: None}),
        ("[<5]A;B;C", {4: "[<5]A", 5: None}),
        ("A;[<5]B", {1: None}),
        ("[<x]A;B", {1: None}),
        ("[<5]A;B;C;D;E", {9: None}),
        ("[<5]@", {1: None}),
    ],
)
def test_the_condition_that_a_number_meets_chooses_its_section(code: str, sections: dict[float, str | None]) -> None:
    """The first section whose condition it meets, or the last one without a condition; if that is uncertain, none."""
    parts = conditional_sections(code)
    for value, expected in sections.items():
        section = section_for(value, parts)
        assert (section.code if section else None) == expected
