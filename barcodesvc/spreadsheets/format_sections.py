"""The sections of a number format, and the section that formats a number (ECMA-376-1, 18.8.31).

Semicolons separate sections. A section with a condition, such as the first of `[<=99999]00000;00000-0000`, formats the
numbers that meet it and no earlier condition; the last section needs none. A section with `@` formats text.

Rule: no section is chosen if spreadsheet programs differ, or show `###`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

Condition = Callable[[float], bool]
"""Returns whether a number meets the condition."""

MAX_SECTIONS = 4

_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])*', re.DOTALL)
"""The text before an unquoted semicolon."""
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
    """A section: its code, and the condition under which it formats a number, or None."""

    code: str
    condition: Condition | None = None


def first_section(code: str) -> str:
    """Return the section that formats numbers from 0 if a format has no conditions."""
    return next(_split(code))


def conditional_sections(code: str) -> tuple[Section, ...]:
    """Return the sections of a format with conditions that format numbers; none for a format without conditions."""
    if not _LOOKS_CONDITIONAL.search(_QUOTED.sub("", code)):
        return ()
    parts = islice(_split(code), MAX_SECTIONS)
    return tuple(Section(part, _condition(part)) for part in parts if "@" not in _QUOTED.sub("", part))


def section_for(value: float, sections: Sequence[Section]) -> Section | None:
    """Return the section that formats a number, or None if that is uncertain."""
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
