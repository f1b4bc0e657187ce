"""How names of formats and sheets are compared: `Code 128`, `code-128` and `CODE128` mean one thing to people."""

from __future__ import annotations

_LONGEST_NAME = 100
"""Characters of a name that is compared: none that anything here has is half as long."""
_IGNORED = {ord(character): None for character in "-_ "}


def normal_name(name: str) -> str:
    """Return a name as it is compared: without case, `-`, `_` and space; "" for one that is too long."""
    return name.casefold().translate(_IGNORED) if len(name) <= _LONGEST_NAME else ""
