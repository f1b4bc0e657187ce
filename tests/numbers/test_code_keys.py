import pytest

from barcodesvc.numbers.code_keys import CodeKeys, code_keys


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        ("A-1b", CodeKeys("a-1b", None, None, "-1")),
        ("X-1y", CodeKeys("x-1y", None, None, None)),
        ("4 006381 333931", CodeKeys("4 006381 333931", "04006381333931", None, None)),
        ("9771234567003+05", CodeKeys("9771234567003+05", "09771234567003+05", "09771234567003", None)),
        ("977123456700+05", CodeKeys("977123456700+05", "977123456700+05", "977123456700", None)),
        (
            "978 0 7352 0044 9+51299",
            CodeKeys("978 0 7352 0044 9+51299", "09780735200449+51299", "09780735200449", None),
        ),
        ("+EHWD3551419G", CodeKeys("+ehwd3551419g", "+EHWD3551419", None, None)),
        ("B123-4d", CodeKeys("b123-4d", None, None, "123-4")),
        ("AB", CodeKeys("ab", None, None, "")),
    ],
)
def test_a_code_has_the_keys_of_all_that_it_may_be(code: str, keys: CodeKeys) -> None:
    """Folded letters, a number, a number before an add-on, and a Codabar number without its letters."""
    assert code_keys(code) == keys
