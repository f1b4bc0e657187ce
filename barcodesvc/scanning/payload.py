"""The service's own QR payload, a JSON object with a `product_code`; also as a keyboard has left it.

A payload that a wrong layout or Caps Lock has damaged is repaired only if every repair that gives a payload gives the
same one: a product code that two layouts spell in two ways is not guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from barcodesvc.scanning.identifiers import identified
from barcodesvc.scanning.keyboards import retyped, with_case_inverted

_KEY = "product_code"
_STAYS = "product"
"""The letters of the key that are on the same keys of every keyboard."""
_LONGEST_REPAIRED = 4096
"""Characters; a QR code holds fewer."""


@dataclass(frozen=True, slots=True)
class Payload:
    """What a payload says of its product; texts that are not there are empty."""

    product_code: str
    description: str = ""
    category: str = ""


def payload_of(text: str) -> Payload | None:
    """Return the payload in a text, None where there is none or no certain one."""
    if text.startswith("{"):
        return _parsed(text) or _parsed(with_case_inverted(text))
    if len(text) > _LONGEST_REPAIRED or _STAYS not in text.lower():
        return None
    repaired = {payload for repair in _repairs(text) if (payload := _parsed(repair))}
    codes = {payload.product_code for payload in repaired}
    if len(codes) != 1:
        return None
    return repaired.pop() if len(repaired) == 1 else Payload(codes.pop())


def _repairs(text: str) -> Iterator[str]:
    for typed in (text, with_case_inverted(text)):
        for sent in retyped(typed):
            payload = identified(sent).text  # the identifier was typed, too
            if payload.startswith("{"):
                yield payload
                yield f"{payload}}}"  # a dead key that ends a text gives no character


def _parsed(text: str) -> Payload | None:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    code = fields.get(_KEY)
    return Payload(code, _text(fields, "description"), _text(fields, "category")) if isinstance(code, str) else None


def _text(fields: dict[str, object], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""
