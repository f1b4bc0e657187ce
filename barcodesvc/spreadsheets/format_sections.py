"""The sections of a number format, and which of them shows a number (ECMA-376-1, 18.8.31).

Sections stand between semicolons. One with a condition, such as the first of `[<=99999]00000;00000-0000`, shows the
numbers that meet it and that no earlier one shows; the last one needs none. One with `@` shows text.

Rule: where programs differ, or show `###`, no section is chosen.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

Condition = Callable[[float], bool]
"""Returns whether a number meets it."""

MAX_SECTIONS = 4

_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])*', re.DOTALL)
"""What stands before a semicolon that is not quoted."""
_QUOTED = re.compile(r'"[^"]*"|\\.', re.DOTALL)
_LOOKS_CONDITIONAL = re.compile(r"\[ *[<>=]")
_CONDITION = re.compile(r"\[ *(<=|>=|<>|<|>|=) *([+-]?[0-9]{1,32}(?:\.[0-9]{1,32})?) *\]")
_COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "<>": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its code, and the condition under which it shows a number, None where it has none."""

    code: str
    condition: Condition | None = None


def first_section(code: str) -> str:
    """Return the section that shows the numbers from 0 of a format without conditions."""
    return next(_split(code))


def conditional_sections(code: str) -> tuple[Section, ...]:
    """Return the sections that show numbers of a format with conditions; none for a format without."""
    if not _LOOKS_CONDITIONAL.search(_QUOTED.sub("", code)):
        return ()
    parts = islice(_split(code), MAX_SECTIONS)
    return tuple(Section(part, _condition(part)) for part in parts if "@" not in _QUOTED.sub("", part))


def section_for(value: float, sections: Sequence[Section]) -> Section | None:
    """Return the section that shows a number, None where it is not certain."""
    for section in sections:
        if section.condition is None:
            return section if section is sections[-1] else None
        if section.condition(value):
            return section
    return None


def _split(code: str) -> Iterator[str]:
    at = 0
    while at <= len(code) and (section := _SECTION.match(code, at)):
        yield section[0]
        at = section.end() + 1


def _condition(code: str) -> Condition | None:
    found = _CONDITION.search(_QUOTED.sub("", code))
    if found is None:
        return None
    compare, bound = _COMPARISONS[found[1]], float(found[2])
    return lambda value: compare(value, bound)
