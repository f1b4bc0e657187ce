"""Codes that a program has written as decimal numbers, such as `4006381333931.0`.

Programs that compute with tables do so to a whole column if one of its cells is blank. A number with a valid check
digit loses the `.0` by itself, any other code only if all codes of the file have it. So `1.0` stays next to `1.1`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from barcodesvc.gs1.gtin import gtin14, is_digits

_DECIMALS = ".0"


@dataclass(frozen=True)
class DecimalCodes:
    """Reads the codes of one file; `others` returns all of them that are not blank, in case one ends in `.0`."""

    others: Callable[[], Iterable[str]]

    def read(self, code: str) -> str:
        """Return a code, without decimals that no person gave it."""
        if not _is_decimal(code):
            return code
        whole = code.removesuffix(_DECIMALS)
        return whole if gtin14(whole) or self._are_all_decimal else code

    @cached_property
    def _are_all_decimal(self) -> bool:
        return all(map(_is_decimal, self.others()))


def _is_decimal(code: str) -> bool:
    return code.endswith(_DECIMALS) and is_digits(code.removesuffix(_DECIMALS))
