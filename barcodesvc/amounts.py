"""Amounts on labels: the text of an attribute as money, or with a number of decimals, in the shop's locale.

Babel knows how locales write numbers. It is loaded at its first use: most services print no amounts.

Rule: an amount is never guessed. A text that can mean two amounts, and another currency, are refused.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

MOST_DECIMALS = 6
_TEXT = re.compile(r"(?P<before>[^\d+\-\u2212.,]*)(?P<number>[+\-\u2212]?\d[\d.,'\u2019 \u00a0\u202f]*)(?P<after>\D*)")
_NO_CENTS = re.compile(r"^[-\u2012-\u2015]+")
"""Dashes instead of cents, as in `4,-`."""
_SPACES = re.compile(r"['\u2019\s\u00a0\u202f]")
_THOUSAND = re.compile(r"-?[1-9]\d{0,2}[.,]\d{3}")
"""A number whose sign may be that of decimals or of thousands."""
_GROUPED = re.compile(r"-?\d{1,3}(?:[.,]\d{3})+")


class AmountError(ValueError):
    """A text is not an amount, or could be several."""


def known_currency(text: str) -> str:
    """Return the code of a currency; raises ValueError for any other text."""
    from babel.numbers import is_currency  # noqa: PLC0415 - loaded at its first use

    if not is_currency(text.upper()):
        raise ValueError(f"{text!r} is not a currency such as 'EUR' (ISO 4217)")
    return text.upper()


def known_locale(text: str) -> str:
    """Return the name of a locale as Babel writes it; raises ValueError for any other text."""
    if text == PLAIN_AMOUNTS.locale:
        return text
    from babel import Locale, UnknownLocaleError  # noqa: PLC0415 - loaded at its first use

    try:
        return str(Locale.parse(text.replace("-", "_")))
    except (ValueError, TypeError, UnknownLocaleError):
        raise ValueError(f"{text!r} is not a locale such as 'de_DE'") from None


@dataclass(frozen=True, slots=True)
class AmountFormat:
    """How amounts are written: the currency of prices, None if the shop has not set it, and the locale."""

    currency: str | None = None
    locale: str = "en"

    def money(self, text: str) -> str:
        """Return a text as an amount of money; raises AmountError."""
        if self.currency is None:
            raise AmountError("needs a currency; set BARCODESVC_CURRENCY")
        from babel.numbers import format_currency, get_currency_precision  # noqa: PLC0415 - loaded at its first use

        number, unit = _parts(text)
        if unit and not self._is_own(self.currency, unit):
            raise AmountError(f"prints {self.currency}, and {text!r} is in another currency or unit")
        if _THOUSAND.fullmatch(number):
            raise AmountError(f"prints {text!r}, which may be a thousand times as much; write it with two decimals")
        cents = Decimal(1).scaleb(-get_currency_precision(self.currency))
        value = _plain(number, text).quantize(cents, ROUND_HALF_UP)
        return str(format_currency(value, self.currency, locale=self.locale)).replace("\u202f", "\u00a0")

    def decimals(self, text: str, number: int) -> str:
        """Return a text as a number with this many decimals; raises AmountError."""
        from babel.numbers import format_decimal, get_decimal_symbol  # noqa: PLC0415 - loaded at its first use

        digits, _ = _parts(text)
        if text.strip()[:1].isalpha():
            raise AmountError(f"prints a number, not {text!r}")
        is_thousand = "," in digits and _THOUSAND.fullmatch(digits) and get_decimal_symbol(self.locale) != ","
        value = _plain(digits.replace(",", "") if is_thousand else digits, text)
        rounded = value.quantize(Decimal(1).scaleb(-number), ROUND_HALF_UP)
        pattern = f"0.{'0' * number}" if number else "0"
        return str(format_decimal(rounded, format=pattern, locale=self.locale))

    def _is_own(self, currency: str, unit: str) -> bool:
        from babel.numbers import get_currency_symbol  # noqa: PLC0415 - loaded at its first use

        symbols = [get_currency_symbol(currency, locale) for locale in (self.locale, "en")]
        return unit.upper() == currency or any(symbol.endswith(unit) for symbol in symbols)


PLAIN_AMOUNTS = AmountFormat()
"""Numbers with a point, and no money."""


def _parts(text: str) -> tuple[str, str]:
    """Return the digits and signs of a number, without spaces, and what else is written."""
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        raise AmountError(f"prints a number, not {text!r}")
    number = _SPACES.sub("", found["number"]).rstrip(".,").replace("\u2212", "-").removeprefix("+")
    return number, (found["before"] + _NO_CENTS.sub("", found["after"])).strip("- \u00a0\u202f")


def _plain(number: str, text: str) -> Decimal:
    """Return the number; its last sign is that of the decimals, unless it occurs more than once."""
    signs = re.findall("[.,]", number)
    if len(signs) > 1 and len(set(signs)) == 1:
        whole, decimals = number, ""
    else:
        last = signs[-1] if signs else "."
        whole, _, decimals = number.partition(last)
    if (not re.fullmatch(r"-?\d+", whole) and not _GROUPED.fullmatch(whole)) or re.search("[.,]", decimals):
        raise AmountError(f"prints a number, not {text!r}")
    return Decimal(re.sub("[.,]", "", whole) + "." + decimals)
