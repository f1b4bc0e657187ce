"""Placeholders in the texts of labels: a template is parsed once, and filled for each label.

    {description} {category} {unit_of_measure} {product_code}    the fields of the product
    {attributes.price}                                           an attribute of the product
    {n} {n:05}                                                   the label's number, with zeros to five digits
    {date} {date+7}                                              today or a week later, as 2026-01-31
    {lot}                                                        a value that the request gives for the product
    {{ }}                                                        braces

A brace that no name follows is itself.

Rule: a placeholder is a name, with one of these options at most, and stands for a text in a table. Nothing else is
looked up, and what is filled in is not parsed again, so that no text reaches anything but these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

PRODUCT_FIELDS = ("description", "category", "unit_of_measure")
"""The names that fields of the product fill, besides its code."""
ATTRIBUTE = "attributes."
"""What precedes the name of an attribute."""
NAME_PATTERN = "[a-z0-9_]{1,32}"
"""Names of attributes and of values."""
_NUMBER, _DATE, _CODE = "n", "date", "product_code"
_BRACES = re.compile(r"\{\{|\}\}|\{([A-Za-z0-9_][^{}]*)\}")
_PLACEHOLDER = re.compile(
    rf"(?P<name>(?:{re.escape(ATTRIBUTE)})?{NAME_PATTERN})(?::0(?P<digits>[1-9]|1[0-9]|20)|(?P<days>[+-][0-9]{{1,4}}))?",
    re.ASCII,
)


class UnfilledError(ValueError):
    """A placeholder has nothing to stand for; `written` is the placeholder."""

    def __init__(self, written: str, message: str) -> None:
        super().__init__(message)
        self.written = written


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A name with its option: `digits` that a number has at least, or `days` after a date."""

    written: str
    name: str
    digits: int = 0
    days: int = 0


class Fillings(NamedTuple):
    """What placeholders stand for on one label.

    code: the code of the product; product: its fields and attributes by the names of placeholders; values: texts that
    the request gives by name, which win; number: that of the label; today: the day on which it is printed. It is a
    tuple because creating a frozen dataclass takes several times as long.
    """

    code: str
    product: Mapping[str, str]
    values: Mapping[str, str]
    number: int
    today: date

    def text(self, placeholder: Placeholder) -> str:
        """Return the text of a placeholder; raises UnfilledError."""
        name = placeholder.name
        given = self.values.get(name, self.code if name == _CODE else self.product.get(name))
        if name == _NUMBER:
            return (str(self.number) if given is None else given).zfill(placeholder.digits)
        if name == _DATE:
            return self._date(placeholder, given)
        if given is None:
            raise UnfilledError(placeholder.written, f"nothing fills {placeholder.written}")
        return given

    def _date(self, placeholder: Placeholder, given: str | None) -> str:
        if given is not None and not placeholder.days:
            return given
        try:
            day = self.today if given is None else date.fromisoformat(given)
            return (day + timedelta(days=placeholder.days)).isoformat()
        except (ValueError, OverflowError):
            message = f"{placeholder.written} counts from a date such as 2026-01-31, not from {given!r}"
            raise UnfilledError(placeholder.written, message) from None


@dataclass(frozen=True, slots=True)
class Template:
    """A text with placeholders, as it is written and in parts."""

    written: str
    parts: tuple[str | Placeholder, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of its placeholders."""
        return frozenset(part.name for part in self.parts if isinstance(part, Placeholder))

    @property
    def is_numbered(self) -> bool:
        """Whether it differs from label to label."""
        return _NUMBER in self.names

    def filled(self, fillings: Fillings) -> str:
        """Return the text; raises UnfilledError for the first placeholder that nothing fills."""
        return "".join(part if isinstance(part, str) else fillings.text(part) for part in self.parts)


def parsed(text: str) -> Template:
    """Return the template that a text spells; raises ValueError for braces around anything but a placeholder."""
    return Template(text, tuple(_parts(text)))


def _parts(text: str) -> Iterator[str | Placeholder]:
    start = 0
    for found in _BRACES.finditer(text):
        yield text[start : found.start()]
        yield found[0][0] if found[1] is None else _placeholder(found[0], found[1])
        start = found.end()
    yield text[start:]


def _placeholder(written: str, inner: str) -> Placeholder:
    found = _PLACEHOLDER.fullmatch(inner)
    options = found and {_NUMBER: "digits", _DATE: "days"}.get(found["name"], "")
    if found is None or any(found[option] and option != options for option in ("digits", "days")):
        raise ValueError(
            f"{written} is no placeholder; there are {{description}}, {{attributes.price}}, {{n:05}}, {{date+7}} and "
            "others; {{ and }} print braces"
        )
    return Placeholder(written, found["name"], int(found["digits"] or 0), int(found["days"] or 0))
