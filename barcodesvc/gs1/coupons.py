"""North American coupon codes: (8110) that say all by themselves, and (8112) whose offer is in a file.

Sources: North American Coupon Application Guideline Using GS1 DataBar Expanded Symbols (GS1 US), and GS1 AI (8112)
Coupon Data Specification. Both are digits alone: fields in a fixed order, many of which begin with a digit that
says how long they are. (8110) ends with optional ones, each behind the digit that is its name.
"""

from __future__ import annotations

from collections.abc import Callable

from barcodesvc.gs1.dates import date_fault
from barcodesvc.gs1.faults import Fault

_LENGTHS_OF_NUMBERS = range(1, 6)
_LENGTHS_OF_COMPANIES = range(7)
_LENGTHS_OF_RETAILERS = range(1, 8)
_LENGTHS_OF_SERIALS = range(10)
_SIX = 6
"""Digits that companies, retailers and serial numbers have beyond those that their length says."""
_NO_COMPANY = "9"
_REQUIREMENTS = "012349"
_FAMILY = 3


def coupon_fault(text: str) -> Fault | None:
    """Judge the value of (8110)."""
    return _fault(text, _coupon)


def positive_offer_fault(text: str) -> Fault | None:
    """Judge the value of (8112)."""
    return _fault(text, _positive_offer)


class _Wrong(Exception):  # noqa: N818 - it never leaves this file
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class _Fields:
    """The fields of a coupon code, taken from its front."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.index = 0

    @property
    def next(self) -> str:
        """The next digit, empty at the end."""
        return self._text[self.index : self.index + 1]

    def digits(self, name: str, count: int) -> str:
        taken = self._text[self.index : self.index + count]
        if len(taken) < count or not taken.isdecimal():
            raise _Wrong(Fault(self.index, f"{taken!r} for {name}", f"{count} digits"))
        self.index += count
        return taken

    def one_of(self, name: str, digits: str) -> str:
        if not self.next or self.next not in digits:
            raise _Wrong(Fault(self.index, f"{self.next!r} for {name}", f"one of {', '.join(digits)}"))
        return self.digits(name, 1)

    def sized(self, name: str, lengths: range, beyond: int = 0) -> None:
        length = self.one_of(f"the length of {name}", "".join(map(str, lengths)))
        self.digits(name, int(length) + beyond)

    def date(self, name: str) -> str:
        start = self.index
        taken = self.digits(name, len("YYMMDD"))
        fault = date_fault(taken)
        if fault:
            raise _Wrong(fault.moved(start))
        return taken

    def option(self, name: str) -> bool:
        """Take the digit that names an optional field; return whether it was the next one."""
        is_next = self.next == name
        self.index += is_next
        return is_next


def _fault(text: str, read: Callable[[_Fields], None]) -> Fault | None:
    fields = _Fields(text)
    try:
        read(fields)
    except _Wrong as wrong:
        return wrong.fault
    rest = text[fields.index :]
    return Fault(fields.index, f"{rest!r} behind the last field", "nothing") if rest else None


def _positive_offer(fields: _Fields) -> None:
    fields.one_of("the format", "01")
    fields.sized("the funder", _LENGTHS_OF_COMPANIES, _SIX)
    fields.digits("the offer", 6)
    fields.sized("the serial number", _LENGTHS_OF_SERIALS, _SIX)


def _coupon(fields: _Fields) -> None:
    fields.sized("the company", _LENGTHS_OF_COMPANIES, _SIX)
    fields.digits("the offer", 6)
    fields.sized("the saving", _LENGTHS_OF_NUMBERS)
    _purchase(fields)
    if fields.option("1"):
        fields.one_of("the rule of further purchases", "0123")
        _purchase(fields)
        _further_company(fields)
    if fields.option("2"):
        _purchase(fields)
        _further_company(fields)
    _validity(fields)
    if fields.option("5"):
        fields.sized("the serial number", _LENGTHS_OF_SERIALS, _SIX)
    if fields.option("6"):
        fields.sized("the retailer", _LENGTHS_OF_RETAILERS, _SIX)
    if fields.option("9"):
        _flags(fields)


def _purchase(fields: _Fields) -> None:
    fields.sized("the purchase requirement", _LENGTHS_OF_NUMBERS)
    fields.one_of("the kind of purchase requirement", _REQUIREMENTS)
    fields.digits("the product family", _FAMILY)


def _further_company(fields: _Fields) -> None:
    if not fields.option(_NO_COMPANY):
        fields.sized("the company", _LENGTHS_OF_COMPANIES, _SIX)


def _validity(fields: _Fields) -> None:
    expiry = fields.date("the expiry") if fields.option("3") else None
    if not fields.option("4"):
        return
    index = fields.index
    start = fields.date("the start")
    if expiry and start > expiry:
        raise _Wrong(Fault(index, f"the start {start}", f"one up to the expiry {expiry}"))


def _flags(fields: _Fields) -> None:
    fields.one_of("the kind of saving", "01256")
    fields.one_of("the item that the saving is for", "012")
    fields.digits("the flag of store coupons", 1)
    fields.one_of("the flag against multiplying", "01")
