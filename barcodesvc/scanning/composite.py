"""Composite symbols in one text: a linear symbol and, behind an identifier of its own, the 2D component above it.

    ]E09521234543213|]e099COMPOSITE<0x1D>98XYZ

The component (`]e0` to `]e3`, ISO/IEC 24723) says more of the trade item whose number the linear symbol holds. A bar
between the two is how encoders write them; scanners send it or leave it out.
"""

from __future__ import annotations

import re

_COMPONENT = re.compile(r"\|?\]e[0-3]")


def split_composite(text: str) -> tuple[str, str] | None:
    """Return what the linear symbol and its 2D component hold, None for a text that is no composite."""
    linear, *component = _COMPONENT.split(text, maxsplit=1)
    return (linear, component[0]) if linear and component else None
