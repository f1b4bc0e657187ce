import pytest
from hypothesis import given, strategies as st

from barcodesvc.scanning.keyboards import retyped, with_case_inverted

PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
GERMAN, FRENCH, SWEDISH, NORWEGIAN, DANISH = range(5)


@pytest.mark.parametrize(
    ("layout", "typed"),
    [
        (GERMAN, "ÜÄproduct?codeÄÖÄAY/yÄ*"),
        (FRENCH, "¨%product°code%M%QWµw%£"),
        (SWEDISH, "ÅÄproduct?codeÄÖÄAZ/zÄ^"),
        (NORWEGIAN, "ÅÆproduct?codeÆØÆAZ/zÆ^"),
        (DANISH, "ÅØproduct?codeØÆØAZ/zØ^"),
    ],
)
def test_each_layout_is_turned_back(layout: int, typed: str) -> None:
    """What these keyboards make of a payload gives its structure again."""
    reading = list(retyped(typed))[layout]
    assert reading.startswith('{"product_code":"AZ')
    assert reading.endswith('"}')


def test_no_layout_loses_a_key() -> None:
    """Every character that an American keyboard types can come out of each layout."""
    keys = "^1234567890ß´qwertzuiopü+#asdfghjklöäyxcvbnm,.-°!\"§$%&/()=?`QWERTZUIOPÜ*'ASDFGHJKLÖÄYXCVBNM;:_"  # noqa: RUF001 - that key is an acute accent
    assert set(next(retyped(keys))) == set(PRINTABLE)


@given(st.text())
def test_every_reading_is_as_long_as_the_text(text: str) -> None:
    """A key is one character, so nothing grows and nothing fails."""
    assert {len(reading) for reading in retyped(text)} == {len(text)}
    assert len(with_case_inverted(text)) == len(text)


def test_caps_lock_is_turned_back_where_letters_have_one_other_case() -> None:
    """Sharp s, whose capital is two letters, stays."""
    assert with_case_inverted("aBß1") == "Abß1"
