"""How names of formats and sheets are compared: `Code 128`, `code-128` and `CODE128` mean one thing to people."""

from __future__ import annotations

_IGNORED = {ord(character): None for character in "-_ "}


def normal_name(name: str) -> str:
    """Return the form in which names are compared: without case, `-`, `_` and space."""
    return name.casefold().translate(_IGNORED)
