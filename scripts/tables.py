"""The tables of pages that restate the code. A page has the call in a comment, and cog writes what it prints below.

`scripts/check` compares them, and docs/development.md has the command that writes all of them again.
"""

from collections.abc import Iterable
from typing import Any

from barcodesvc.catalogue.presets import PRESETS, Preset
from barcodesvc.config import PREFIX, Rate, Settings
from barcodesvc.labels.sheets import PAGE_SIZES, SHEETS
from barcodesvc.symbols.registry import SYMBOLOGIES

_FIELDS = {
    "product_code": "code",
    "description": "description",
    "category": "category",
    "unit_of_measure": "unit",
    "current_level": "stock",
    "minimum_level": "minimum",
    "maximum_level": "maximum",
}


def settings(*names: str) -> None:
    """Print the settings with these names, with their defaults."""
    rows = [(_code(PREFIX + name.upper()), *_setting(name)) for name in names]
    _print(("variable", "default", "meaning"), rows)


def _setting(name: str) -> tuple[str, str]:
    field = Settings.model_fields[name]
    return _default(field.default), field.description or ""


def _default(value: Any) -> str:
    match value:
        case None:
            return "not set"
        case ():
            return ""
        case Rate(amount=amount, seconds=seconds):
            return _code(f"{amount}/{seconds // 60} minutes")
        case bool():
            return _code(str(value).lower())
        case _:
            return _code(f"{value}".removesuffix(".0"))


def symbologies() -> None:
    """Print every symbology with its other names and its rules."""
    rows = [
        (_code(each.name), _codes(each.aliases), each.alphabet, each.length, each.check_digit) for each in SYMBOLOGIES
    ]
    _print(("format", "also called", "characters", "length", "check digit"), rows)


def sheets() -> None:
    """Print every sheet that a label can name."""
    papers = {size: name for name, size in PAGE_SIZES.items()}
    rows = [
        (
            _code(name),
            papers[sheet.page],
            f"{sheet.columns} x {sheet.rows}",
            f"{sheet.label_width:g} x {sheet.label_height:g} mm",
        )
        for name, sheet in SHEETS.items()
    ]
    _print(("sheet", "paper", "labels", "size of a label"), rows)


def programs(*names: str) -> None:
    """Print the columns of other programs' lists by the field that reads them, the most reliable first."""
    presets = [preset for name in names for preset in PRESETS if preset.program == name]
    fields = [field for field in _FIELDS if any(field in preset.columns for preset in presets)]
    rows = [
        (f"**{preset.program}**", *(_codes(preset.columns.get(field, ())) for field in fields), _details(preset))
        for preset in presets
    ]
    _print(("from", *map(_FIELDS.__getitem__, fields), "details"), rows)


def _details(preset: Preset) -> str:
    return ", ".join(f"{_code(header)} as {_code(attribute)}" for header, attribute in preset.attributes.items())


def _print(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    print(_row(head), "|" + "---|" * len(head), *map(_row, rows), sep="\n")


def _row(cells: tuple[str, ...]) -> str:
    return " ".join(("|", *(f"{cell} |".lstrip() for cell in cells)))


def _codes(texts: Iterable[str]) -> str:
    return ", ".join(map(_code, texts))


def _code(text: str) -> str:
    return f"`{text}`"
