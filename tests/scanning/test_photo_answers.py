"""How the benchmark of photos compares what is read with what the makers of a set expect."""

from pathlib import Path

import pytest

from tests.scanning.pictures.answers import Answer, answer_of
from tests.scanning.pictures.notations import is_same
from tests.scanning.pictures.readers import Seen

SAME = [
    ("036602301467", "036602301467"),
    ("0036602301467", "036602301467"),
    ("9780393058673", "9780393058673+52595"),
    ("978073520044951299", "9780735200449+51299"),
    ("002701100695102601", "027011006951+02601"),
    ("01234565", "012345000065"),
    ("0012345000065", "01234565"),
    ("04963406", "049000006346+01"),
    ("1234567890", "A1234567890B"),
    ("123456789012", "A123456789012A"),
    ("12ab", "12+A+B"),
    ("A123456788", "3PRM8N"),
    ("(01)90012345678908(3922)795", "]e001900123456789083922795"),
    ("(10)12A(422)123", "]C11012A\x1d422123"),
    ("04412345678909", "]e00104412345678909"),
    ("one\ntwo", "one\r\ntwo"),
]
DIFFERENT = [
    ("12345678", "1234"),
    ("1234", "12345678"),
    ("036602301467", "36602301467"),
    ("9780735200449", "978073520044"),
    ("978073520044951299", "9780735200449"),
    ("12345670123456", "123456701234"),
    ("A1234567890B", "A1234567890C"),
    ("A-1", "A1"),
    ("0123", "123"),
]


@pytest.mark.parametrize(("expected", "text"), SAME)
def test_notations_of_one_text_are_the_same(expected: str, text: str) -> None:
    """Makers and readers write line ends, AIs, retail numbers and add-ons in their ways."""
    assert is_same(expected, text)


@pytest.mark.parametrize(("expected", "text"), DIFFERENT)
def test_a_part_of_a_text_is_another_one(expected: str, text: str) -> None:
    """A reading that was cut off does not count as found, but as wrong."""
    assert not is_same(expected, text)
    answer, seen = Answer(frozenset({expected})), [Seen(text, ((0, 0),))]
    assert (answer.found(seen), answer.is_wrong(seen)) == (0, True)


@pytest.mark.parametrize(("content", "texts"), [('{"data": "A-1"}', {"A-1"}), ('{"data": ""}', set()), ("null", None)])
def test_what_its_maker_does_not_read_is_left_out(tmp_path: Path, content: str, texts: set[str] | None) -> None:
    """The null of jsQR says nothing about a picture, and an empty text only that there is a code."""
    (tmp_path / "output.json").write_text(content)
    answer = answer_of(tmp_path / "input.png")
    assert answer == (None if texts is None else Answer(frozenset(texts)))
