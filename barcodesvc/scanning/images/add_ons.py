"""The add-on of a retail number on an image: a second symbol, to the right of that of the number, and lower.

So lines of one symbol show the number with it or alone. Those that leave an add-on of five digits at a slant show one
of two, which are its first ones.
"""

from collections.abc import Mapping

from barcodesvc.scanning.images.codes import CodeOnImage, width

RETAIL = frozenset({"EAN13", "UPCA"})
_NUMBER_MODULES = {"EAN13": 95, "UPCA": 95, "UPCE": 51}
_ADD_ON_MODULES = {2: 20, 5: 47}
"""Modules of an add-on, by its digits."""
_GAP = 9
"""Modules between both: the mean of what GS1 allows."""
_CLEARLY = 2
"""How many times as many lines must show an add-on as show another one."""


def number_of(code: CodeOnImage) -> str:
    """Return the text, of a retail number that of its symbol without the add-on."""
    return code.text.partition("+")[0] if code.symbology in _NUMBER_MODULES else code.text


def add_on_of(code: CodeOnImage) -> str:
    """Return the digits of the add-on, none if there is none."""
    return code.text.partition("+")[2] if code.symbology in _NUMBER_MODULES else ""


def number_width(code: CodeOnImage) -> float:
    """Return the width of a symbol without its add-on, in pixels."""
    whole, modules = width(code.corners), _NUMBER_MODULES.get(code.symbology, 0)
    add_on = _ADD_ON_MODULES.get(len(add_on_of(code)))
    return whole * modules / (modules + _GAP + add_on) if add_on else whole


def clear_add_on(lines: Mapping[str, float]) -> str:
    """Return the add-on that clearly most lines of a symbol show, none if two are about equal; lines are by add-on."""
    seen = sorted(filter(None, lines), key=lambda add_on: (len(add_on), lines[add_on]), reverse=True)
    for add_on in seen:
        others = (lines[other] for other in seen if not add_on.startswith(other))
        if all(lines[add_on] > _CLEARLY * other for other in others):
            return add_on
    return ""
