"""MSI with its check digit modulo 10, the Luhn digit of ISO/IEC 7812-1 (MSI Data Corporation's modified Plessey code).

A digit is four bits, a bit a bar and a space of three modules together, the wide one twice the narrow one. MSI has no
fixed length, so that a check digit cannot be distinguished from data: it is always added, and content is given without
it. The quiet zone is 12 modules on either side.
"""

from __future__ import annotations

from barcodesvc.symbols.alphabets import DIGITS, require_alphabet
from barcodesvc.symbols.modules import Bars, captioned_bars

_START, _STOP = (2, 1), (1, 2, 1)
_RUNS_OF_BIT = {"0": (1, 2), "1": (2, 1)}
_QUIET_ZONE = 12


def msi(content: str) -> Bars:
    """Encode digits and their check digit as MSI."""
    require_alphabet("MSI", content, DIGITS, "digits 0-9, without the check digit")
    digits = content + luhn_digit(content)
    bits = "".join(f"{int(digit):04b}" for digit in digits)
    data = [run for bit in bits for run in _RUNS_OF_BIT[bit]]
    return captioned_bars((*_START, *data, *_STOP), digits, _QUIET_ZONE)


def luhn_digit(digits: str) -> str:
    """Return the digit that closes ASCII digits: every second one from the right is doubled and its digits summed."""
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in digits[::-2])
    return str(-(doubled + sum(map(int, digits[-2::-2]))) % 10)
