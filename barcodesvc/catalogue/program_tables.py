"""The tables of other programs: recognised by their columns, and read as their users mean them.

A preset maps the columns of a program to the fields of a product; what is left becomes attributes, named after their
headers, except for long texts and pictures. If a row has no code, the next of the preset's columns for codes that is
filled gives it; the same is true of the description.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from barcodesvc.catalogue.columns import FIELDS, attribute_field, is_field, normal_header, recognise_fields
from barcodesvc.catalogue.presets import CODE, DESCRIPTION, PRESETS, Preset
from barcodesvc.models import MOST_ATTRIBUTES
from barcodesvc.spreadsheets.cells import Cell, SheetRow
from barcodesvc.texts import shows_nothing, strip_invisible

_LONGEST_NAME = 32
_EMPTY_VARIANTS = frozenset({"default title", "regular"})
"""What programs call the only variant of a product."""
_NOT_ATTRIBUTES = re.compile(
    r"html|image|photo|picture|^seo|googleshopping|^meta:|permalink|purchasenote|descri(be|ption)$"
)
"""Normalised headers of long texts and pictures; a file with them would need more attributes than a product has."""

_GUARDED = re.compile(r"'\d", re.ASCII)
"""An apostrophe that keeps a spreadsheet from reading the digits of a code as a number, as in lists of Shopify."""


@dataclass(frozen=True, slots=True)
class ProgramTable:
    """What a preset means in one table: the columns by which the cells of a row are completed."""

    program: str
    code: int
    codes: tuple[int, ...]
    description: int
    descriptions: tuple[int, ...]
    variants: tuple[int, ...]
    group: int | None
    filled: tuple[int, ...]

    def rows(self, rows: Iterator[SheetRow]) -> Iterator[SheetRow]:
        """Yield the rows of products, each with its code and description in the columns for them."""
        group, described = "", ""
        for row in rows:
            if self.filled and not any(_text(row, index) for index in self.filled):
                continue
            text = next(filter(None, (_text(row, index) for index in self.descriptions)), "")
            in_group = "" if self.group is None else _text(row, self.group)
            if in_group and in_group != group:
                group, described = in_group, text
            yield self._completed(row, text or (described if in_group else ""))

    def _completed(self, row: SheetRow, text: str) -> SheetRow:
        variants = [_text(row, index) for index in self.variants]
        named = [variant for variant in variants if variant and variant.casefold() not in _EMPTY_VARIANTS]
        code = next((index for index in self.codes if _is_filled(row, index)), self.code)
        cells = list(row.cells) + [""] * (max(self.code, self.description) + 1 - len(row.cells))
        for index in self.codes:
            if index < len(cells) and _GUARDED.match(_text(row, index)):
                cells[index] = _text(row, index)[1:]
        cells[self.code] = cells[code]
        if text:
            cells[self.description] = " ".join([text, *named])
        return SheetRow(row.number, tuple(cells))


def preset_of(headers: Sequence[str]) -> Preset | None:
    """Return the preset whose columns these headers are, None if there is none."""
    names = set(map(normal_header, headers)) - {""}
    for preset in PRESETS:
        if any(names.issuperset(map(normal_header, sign)) for sign in preset.signs):
            return preset
    return None


def preset_columns(preset: Preset, headers: Sequence[str], hidden: frozenset[int]) -> dict[str, int]:
    """Return the column index of each field and attribute."""
    columns = {name: found[0] for name in FIELDS if (found := _indexes(headers, preset.columns.get(name, ()), hidden))}
    if columns.get(CODE) == columns.get(DESCRIPTION):
        others = [at for at in _indexes(headers, preset.columns[DESCRIPTION], hidden) if at != columns[CODE]]
        columns |= {DESCRIPTION: others[0]} if others else {}
    taken = set(columns.values())
    for name, index in recognise_fields(headers, hidden).items():
        if name not in columns and index not in taken:
            columns[name] = index
            taken.add(index)
    return columns | _attributes(preset, headers, taken)


def _attributes(preset: Preset, headers: Sequence[str], taken: set[int]) -> dict[str, int]:
    named = {normal_header(header): name for header, name in preset.attributes.items()}
    short = set(_indexes(headers, [header for wanted in preset.columns.values() for header in wanted]))
    found: dict[str, int] = {}
    left = [(index, header) for index, header in enumerate(headers) if header and index not in taken]
    for index, header in sorted(left, key=lambda one: (normal_header(one[1]) not in named, one[0])):
        name = named.get(normal_header(header)) or attribute_name(header.removeprefix(preset.prefix))
        field_name = attribute_field(header) or f"attributes.{name}"
        is_short = index in short or not _NOT_ATTRIBUTES.search(normal_header(header))
        if is_field(field_name) and is_short and field_name not in found and len(found) < MOST_ATTRIBUTES:
            found[field_name] = index
    return found


def attribute_name(header: str) -> str:
    """Return the name of the attribute that a header means: `Preis (€)` is `preis`; empty if it means none."""
    plain = unicodedata.normalize("NFKD", header.replace("ß", "ss"))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter)).lower()
    return re.sub("[^a-z0-9_]+", "_", letters).strip("_")[:_LONGEST_NAME]


def program_table(preset: Preset, headers: Sequence[str], columns: Mapping[str, int]) -> ProgramTable | None:
    """Return how the rows of a table are completed, None if it has no columns for that."""
    if CODE not in columns or DESCRIPTION not in columns:
        return None
    read = set(columns.values())
    code, description = columns[CODE], columns[DESCRIPTION]
    codes = [index for index in _indexes(headers, preset.columns[CODE]) if index in read and index != code]
    texts = [index for index in _indexes(headers, preset.columns[DESCRIPTION]) if index != description]
    groups = _indexes(headers, (preset.group,))
    return ProgramTable(
        preset.program,
        code,
        (code, *(index for index in codes if index != description)),
        description,
        (description, *(index for index in texts if index in read)),
        tuple(_indexes(headers, preset.variants)),
        groups[0] if groups else None,
        tuple(_indexes(headers, preset.filled)),
    )


def _indexes(headers: Sequence[str], wanted: Sequence[str], hidden: frozenset[int] = frozenset()) -> list[int]:
    """Return the columns with these headers, in the order of the headers wanted, visible ones first."""
    names = [normal_header(header) for header in headers]
    found: dict[int, None] = {}
    for name in filter(None, wanted):
        normal = normal_header(name.rstrip("*"))
        is_named = str.startswith if name.endswith("*") else str.__eq__
        at = [index for index, header in enumerate(names) if header and is_named(header, normal)]
        found |= dict.fromkeys(sorted(at, key=lambda index: (index in hidden, index)))
    return list(found)


def _cell(row: SheetRow, index: int) -> Cell:
    return row.cells[index] if index < len(row.cells) else ""


def _is_filled(row: SheetRow, index: int) -> bool:
    cell = _cell(row, index)
    return not isinstance(cell, str) or not shows_nothing(cell)


def _text(row: SheetRow, index: int) -> str:
    cell = _cell(row, index)
    return strip_invisible(cell) if isinstance(cell, str) else ""
