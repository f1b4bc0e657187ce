"""Codes that the service makes: the next ones of a pattern that no product has.

Rule: a number is given once, whatever becomes of its product, and by one replica: the last one given is a row that is
locked until the product is written. A transaction that is rolled back has given nothing.
"""

import json

from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.gs1.gtin import with_check_digit
from barcodesvc.made_codes import MadeCodes
from barcodesvc.store.script import Script, one, rows, run

MOST_TRIED = 5000
"""Numbers that are tried at once: products may have many of the codes already, by an import."""


def make_codes(made: MadeCodes, count: int, taken_codes: str = "taken_codes") -> Script[list[str]]:
    """Return so many new codes; raises InvalidInput if the pattern has too few left.

    `taken_codes` is the query for those of wanted codes that cannot be given.
    """
    codes: list[str] = []
    tried = count
    while len(codes) < count:
        tried = min(tried, MOST_TRIED)
        last = (yield one("take_numbers", pattern=made.pattern, count=tried))[0]
        numbers = {_code(made, number): number for number in range(last - tried + 1, min(last, made.greatest) + 1)}
        if not numbers:
            message = f"all codes of {made.pattern} are given; choose another pattern in BARCODESVC_MADE_CODES"
            raise InvalidInput.of(field_problem("product_code", message, rule="too many"))
        taken = {code for (code,) in (yield rows(taken_codes, wanted=json.dumps(list(numbers))))}
        codes += [code for code in numbers if code not in taken][: count - len(codes)]
        if len(codes) == count and numbers.get(codes[-1]) != last:
            yield run("give_numbers_back", pattern=made.pattern, last_number=numbers[codes[-1]])
        tried *= 2
    return codes


def _code(made: MadeCodes, number: int) -> str:
    code = made.code(number)
    return with_check_digit(code) if made.is_ean13 else code
