"""Placeholders in the texts of labels: a template is parsed once, and filled for each label.

    {description} {category} {unit_of_measure} {product_code}    the fields of the product
    {attributes.price}                                           an attribute of the product
    {attributes.price:money} {attributes.weight:.3}              the same as an amount of money, or with three decimals
    {n} {n:05}                                                   the label's number, with zeros to five digits
    {date} {date+7} {date+7:%d.%m.%Y}                            today or a week later, as 2026-01-31 or 31.01.2026
    {lot}                                                        a value that the request gives for the product
    {{ }}                                                        braces

A brace that no name follows is itself.

Rule: a placeholder is a name, with one of these options, and stands for a text in a table. Nothing else is
looked up, and what is filled in is not parsed again, so that no text reaches anything but these.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from barcodesvc.amounts import MOST_DECIMALS, PLAIN_AMOUNTS, AmountError, AmountFormat
from barcodesvc.texts import RefusedValueError

PRODUCT_FIELDS = ("description", "category", "unit_of_measure")
"""The names that fields of the product fill, besides its code."""
ATTRIBUTE = "attributes."
"""What precedes the name of an attribute."""
NAME_PATTERN = "[a-z0-9_]{1,32}"
"""Names of attributes and of values."""
_NUMBER, _DATE, _CODE = "n", "date", "product_code"
MONEY = -1
"""Instead of a number of decimals: an amount of the shop's currency."""
_BRACES = re.compile(r"\{\{|\}\}|\{([A-Za-z0-9_][^{}]*)\}")
_PLACEHOLDER = re.compile(
    rf"(?P<name>(?:{re.escape(ATTRIBUTE)})?{NAME_PATTERN})(?P<days>[+-][0-9]{{1,4}})?"
    rf"(?::(?:0(?P<digits>[1-9]|1[0-9]|20)|(?P<money>money)|\.(?P<decimals>[0-{MOST_DECIMALS}])|(?P<format>%[^:]*)))?",
    re.ASCII,
)
_DATE_FORMAT = re.compile(r"(?:%[dmyYjGVu%]|[^%]){1,40}")
_OPTIONS = {_NUMBER: {"digits"}, _DATE: {"days", "format"}, **{name: set[str]() for name in (*PRODUCT_FIELDS, _CODE)}}
"""The options of names; others have those of amounts."""
_OF_AMOUNTS = {"money", "decimals"}


class UnfilledError(ValueError):
    """A placeholder has nothing to stand for; `placeholder` is as it is written."""

    def __init__(self, message: str, placeholder: str) -> None:
        super().__init__(message)
        self.placeholder = placeholder


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A name with its option: `digits` that a number has at least, or `days` after a date and its `date_format`.

    `decimals` is those of an amount, None for any other text, or MONEY.
    """

    written: str
    name: str
    digits: int = 0
    days: int = 0
    date_format: str = ""
    decimals: int | None = None


class Fillings(NamedTuple):
    """What placeholders stand for on one label.

    code: the code of the product; product: its fields and attributes by the names of placeholders; values: texts that
    the request gives by name, which take precedence; number: that of the label; today: the day on which it is printed;
    amounts: how these are written. It is a tuple because creating a frozen dataclass takes several times as long.
    """

    code: str
    product: Mapping[str, str]
    values: Mapping[str, str]
    number: int
    today: date
    amounts: AmountFormat = PLAIN_AMOUNTS

    def text(self, placeholder: Placeholder) -> str:
        """Return the text of a placeholder; raises UnfilledError."""
        name = placeholder.name
        given = self.values.get(name, self.code if name == _CODE else self.product.get(name))
        if name == _NUMBER:
            return (str(self.number) if given is None else given).zfill(placeholder.digits)
        if name == _DATE:
            return self._date(placeholder, given)
        if given is None:
            raise UnfilledError(f"nothing fills {placeholder.written}; {_remedy(name)}", placeholder.written)
        return given if placeholder.decimals is None else self._amount(placeholder, placeholder.decimals, given)

    def _amount(self, placeholder: Placeholder, decimals: int, given: str) -> str:
        try:
            return self.amounts.money(given) if decimals == MONEY else self.amounts.decimals(given, decimals)
        except AmountError as error:
            raise UnfilledError(f"{placeholder.written} {error}", placeholder.written) from None

    def _date(self, placeholder: Placeholder, given: str | None) -> str:
        if given is not None and not (placeholder.days or placeholder.date_format):
            return given
        try:
            day = self.today if given is None else date.fromisoformat(given)
            moved = day + timedelta(days=placeholder.days)
            return moved.strftime(placeholder.date_format) if placeholder.date_format else moved.isoformat()
        except (ValueError, OverflowError):
            message = f"{placeholder.written} counts from a date such as 2026-01-31, not from {given!r}"
            raise UnfilledError(message, placeholder.written) from None


def _remedy(name: str) -> str:
    if name.startswith(ATTRIBUTE):
        return f"the product has no attribute {name.removeprefix(ATTRIBUTE)!r}"
    return "give it in the values of the product"


@dataclass(frozen=True, slots=True)
class Template:
    """A text with placeholders, in parts."""

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
    """Return the template that a text spells; raises RefusedValueError for braces around anything but a placeholder."""
    return Template(tuple(_parts(text)))


def _parts(text: str) -> Iterator[str | Placeholder]:
    start = 0
    for found in _BRACES.finditer(text):
        yield text[start : found.start()]
        yield found[0][0] if found[1] is None else _placeholder(found[0], found[1])
        start = found.end()
    yield text[start:]


def _placeholder(written: str, inner: str) -> Placeholder:
    found = _PLACEHOLDER.fullmatch(inner)
    given = {option for option, text in found.groupdict().items() if text} - {"name"} if found else set()
    is_format = not found or not found["format"] or _DATE_FORMAT.fullmatch(found["format"])
    if found is None or not is_format or not given <= _OPTIONS.get(found["name"], _OF_AMOUNTS):
        message = (
            f"{written} is not a placeholder; there are {{description}}, {{attributes.price:money}}, {{n:05}}, "
            "{date+7} and others; {{ and }} print braces"
        )
        raise RefusedValueError(message, "unknown placeholder", placeholder=written)
    decimals = MONEY if found["money"] else int(found["decimals"]) if found["decimals"] else None
    days, date_format = int(found["days"] or 0), found["format"] or ""
    return Placeholder(written, found["name"], int(found["digits"] or 0), days, date_format, decimals)
