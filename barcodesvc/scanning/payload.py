"""The service's QR payload, a JSON object with a `product_code`, also if Caps Lock has changed the case of letters."""

import json
from dataclasses import dataclass

from barcodesvc.texts import UNSEEN_AT_ENDS

_KEY = "product_code"


@dataclass(frozen=True, slots=True)
class Payload:
    """What a payload says about its product; missing texts are empty."""

    product_code: str
    description: str = ""
    category: str = ""


def payload_of(text: str) -> Payload | None:
    """Return the payload in a text, None if there is none."""
    return _parsed(text) or _parsed(with_case_inverted(text)) if text.startswith("{") else None


def with_case_inverted(text: str) -> str:
    """Return the text that was sent if Caps Lock was on; letters without a single other case are unchanged."""
    return "".join(other if len(other := character.swapcase()) == 1 else character for character in text)


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
