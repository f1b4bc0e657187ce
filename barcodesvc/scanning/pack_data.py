r"""What codes on packs other than those of GS1 say: the product's number, lot, serial number, expiry and quantity.

    +EHWD3551419/$$900100F                             HIBC, see `numbers.hibc` and `hibc_data`
    [)><RS>06<GS>9N110498762989<GS>1TLOT7<GS>D270600   a message of ISO/IEC 15434, format 06: data identifiers of ANSI
                                                       MH10.8.2 with their values, as in the PPN code of German packs

Keyboards type placeholders for the control characters of a message, or leave them out. Without separators, only a PPN
in the first place has an end.
"""

import re
from calendar import isleap
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, Any, NamedTuple, NotRequired, cast

from typing_extensions import TypedDict

from barcodesvc.fields import described
from barcodesvc.gs1.dates import date_of
from barcodesvc.numbers.hibc import read_hibc
from barcodesvc.scanning.gs1_data import ADate
from barcodesvc.scanning.hibc_data import secondary_data

_SEPARATORS = r"(?:[\x04\x1d\x1e]|[{<\[](?:GS|RS|EOT|FNC1)[}>\]]|\\x(?:04|1d|1e)|\^[\]^D]|\||[\u241d\u241e\u2404])"
_SEPARATOR = re.compile(_SEPARATORS, re.IGNORECASE)
_MESSAGE = re.compile(rf"\[\)>{_SEPARATORS}*06{_SEPARATORS}*(.+)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"(9N11[0-9]{10})|8P([0-9]{8,14})")
_VALUES = (
    (re.compile(r"1T(.+)"), "lot"),
    (re.compile(r"S(.+)"), "serial"),
    (re.compile(r"D([0-9]{6})"), "expiry"),
    (re.compile(r"14D([0-9]{8})"), "expiry"),
    (re.compile(r"Q([0-9]{1,8})"), "quantity"),
)
_DAYS = 365
_LONGEST = 500


class PackData(TypedDict):
    """What the code of a pack says besides the product, if it is an HIBC code or a message of data identifiers."""

    lot: NotRequired[Annotated[str, described("The batch or lot number, if the code is not one of GS1.", "LOT7")]]
    serial: NotRequired[Annotated[str, described("The serial number, if the code is not one of GS1.", "S-17")]]
    expiry: NotRequired[Annotated[ADate, described("The expiry date, if the code is not one of GS1.", "2027-06-30")]]
    quantity: NotRequired[Annotated[int, described("The quantity, if the code is not one of GS1.", 5)]]


class Pack(NamedTuple):
    """The product's number as a scanned text, empty if the code has none, and what the code says, as sent."""

    number: str
    said: Mapping[str, str]


def read_pack(text: str) -> Pack | None:
    """Return what the code of a pack says, None for any other text."""
    hibc = read_hibc(text)
    if hibc:
        return Pack(hibc.product_code if hibc.primary else "", secondary_data(hibc.secondary))
    message = _MESSAGE.fullmatch(text) if text.startswith("[)>") and len(text) <= _LONGEST else None
    return _of_message(_SEPARATOR.split(message[1])) if message else None


def pack_data(said: Mapping[str, str], year: int) -> PackData:
    """Return the meaning of what a code says; a date that does not exist is left out.

    `year` is the current one, which determines the century of a date.
    """
    named: dict[str, Any] = dict(said)
    expiry = _day(named.pop("expiry", ""), year)
    if expiry:
        named["expiry"] = expiry.isoformat()
    if "quantity" in named:
        named["quantity"] = int(named["quantity"])
    return cast("PackData", named)


def _of_message(values: list[str]) -> Pack:
    number, said = "", dict[str, str]()
    for value in values:
        found = _NUMBER.match(value)
        if found and not number:
            number = found[1] or found[2]
        for pattern, name in _VALUES:
            named = pattern.fullmatch(value)
            if named:
                said.setdefault(name, named[1])
    return Pack(number, said)


def _day(digits: str, year: int) -> date | None:
    """Return the day that YYMMDD, YYYYMMDD or YYJJJ means, None if there is no such day."""
    if len(digits) == len("YYJJJ"):
        first, number = date_of(f"{digits[:2]}0101", year), int(digits[2:])
        if first is None or not 1 <= number <= _DAYS + isleap(first.year):
            return None
        return first + timedelta(days=number - 1)
    if len(digits) == len("YYYYMMDD"):
        try:
            return date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
        except ValueError:
            return None
    return date_of(digits, year)
