"""The service's QR payload, a JSON object with a `product_code`, also if a keyboard layout has damaged it.

A wedge scanner acts as a keyboard: it presses the keys of an American one. On a computer set to another layout, `{"a"`
arrives as `ÜÄaÄ` (German) or `¨%q%` (French); with Caps Lock on, letters arrive in the other case. Both can be
reversed, since each key yields one character, but several layouts may fit.

Rule: a damaged payload is repaired only if all possible repairs give the same product code. A code that two layouts
spell differently is not guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from barcodesvc.scanning.identifiers import identified
from barcodesvc.texts import UNSEEN_AT_ENDS

_KEY = "product_code"
_UNCHANGED = "product"
"""The letters of the key that are on the same keys in every layout."""
_LONGEST_REPAIRED = 4096
"""Characters; more than a QR code holds."""

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


@dataclass(frozen=True, slots=True)
class Payload:
    """What a payload says about its product; missing texts are empty."""

    product_code: str
    description: str = ""
    category: str = ""


def payload_of(text: str) -> Payload | None:
    """Return the payload in a text, None if there is none or it is uncertain."""
    if text.startswith("{"):
        return _parsed(text) or _parsed(with_case_inverted(text))
    if len(text) > _LONGEST_REPAIRED or _UNCHANGED not in text.lower():
        return None
    repaired = {payload for repair in _repairs(text) if (payload := _parsed(repair))}
    codes = {payload.product_code for payload in repaired}
    if len(codes) != 1:
        return None
    return repaired.pop() if len(repaired) == 1 else Payload(codes.pop())


def retyped(text: str) -> Iterator[str]:
    """Yield, for each layout of the computer, the text that a scanner with an American keyboard has sent.

    Characters that the layout has no key for are unchanged.
    """
    for pressed in _PRESSED:
        yield text.translate(pressed)


def with_case_inverted(text: str) -> str:
    """Return the text that was sent if Caps Lock was on; letters without a single other case are unchanged."""
    return "".join(other if len(other := character.swapcase()) == 1 else character for character in text)


def _repairs(text: str) -> Iterator[str]:
    for typed in (text, with_case_inverted(text)):
        for sent in retyped(typed):
            payload = identified(sent).text  # the keyboard has changed the identifier, too
            if payload.startswith("{"):
                yield payload
                yield f"{payload}}}"  # a dead key at the end yields no character


def _parsed(text: str) -> Payload | None:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    code = fields.get(_KEY)
    if not isinstance(code, str):
        return None
    return Payload(code.strip(UNSEEN_AT_ENDS), _text(fields, "description"), _text(fields, "category"))


def _text(fields: dict[str, object], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
