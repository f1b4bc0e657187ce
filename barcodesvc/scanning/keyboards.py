"""Wedge scanners: they act as a keyboard, and the computer decides what the keys that they press mean.

Such a scanner presses the keys of an American keyboard. On a computer set to another layout, `{"a"` arrives as `ÜÄaÄ`
(German) or `¨%q%` (French); with Caps Lock on, letters arrive in the other case. Both can be turned back, since each
key gives one character; but several layouts may fit, so whoever calls has to look for evidence in the results.
"""

from __future__ import annotations

from collections.abc import Iterator

AMERICAN = "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./" + '~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:"ZXCVBNM<>?'
"""The keys of the four rows from left to right, then the same ones with Shift."""

LAYOUTS = {
    "German": "^1234567890ß´qwertzuiopü+#asdfghjklöäyxcvbnm,.-"  # noqa: RUF001 - that key is an acute accent
    "°!\"§$%&/()=?`QWERTZUIOPÜ*'ASDFGHJKLÖÄYXCVBNM;:_",
    "French": "²&é\"'(-è_çà)=azertyuiop^$*qsdfghjklmùwxcvbn,;:!~1234567890°+AZERTYUIOP¨£µQSDFGHJKLM%WXCVBN?./§",
    "Swedish and Finnish": "§1234567890+´qwertyuiopå¨'asdfghjklöäzxcvbnm,.-"  # noqa: RUF001 - that key is an acute accent
    '½!"#¤%&/()=?`QWERTYUIOPÅ^*ASDFGHJKLÖÄZXCVBNM;:_',
    "Norwegian": "|1234567890+\\qwertyuiopå¨'asdfghjkløæzxcvbnm,.-§!\"#¤%&/()=?`QWERTYUIOPÅ^*ASDFGHJKLØÆZXCVBNM;:_",
    "Danish": "½1234567890+´qwertyuiopå¨'asdfghjklæøzxcvbnm,.-"  # noqa: RUF001 - that key is an acute accent
    '§!"#¤%&/()=?`QWERTYUIOPÅ^*ASDFGHJKLÆØZXCVBNM;:_',
}

_PRESSED = tuple(str.maketrans(layout, AMERICAN) for layout in LAYOUTS.values())


def retyped(text: str) -> Iterator[str]:
    """Yield what may have been sent if an American keyboard's layout was not the computer's; one text a layout.

    What the layout has no key for is left as it is.
    """
    for pressed in _PRESSED:
        yield text.translate(pressed)


def with_case_inverted(text: str) -> str:
    """Return the text as it was sent if Caps Lock was on; letters that have no single other case stay."""
    return "".join(other if len(other := character.swapcase()) == 1 else character for character in text)
