"""Sheet jobs: codes, their texts and a sheet become a file, or a list of everything that cannot be printed.

A job runs in a thread of its queue, so that a request for thousands of labels costs the event loop little. Each code is
encoded once, however often it is printed.

Rule: if one label cannot be printed, none is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from barcodesvc.errors import InvalidContent, Problem, field_problem
from barcodesvc.labels.label_content import Entry, FilledLabel, LabelContent, TextLine
from barcodesvc.labels.output import Output, PdfOutput
from barcodesvc.labels.placeholders import UnfilledError
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheets import Sheet
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import Symbology

Check = Callable[[str], None]
"""Raises InvalidContent for a text that cannot be set."""


@dataclass(frozen=True, slots=True)
class SheetJob:
    """A run of `labels` labels on a sheet or a roll.

    entries: what is printed, in the order of the request; iterated once;
    products: the fields and attributes of products by code, each by the names of placeholders, for what `content`
    prints of them.
    """

    labels: int
    entries: Iterable[Entry]
    symbology: Symbology
    sheet: Sheet
    settings: PrintSettings
    content: LabelContent = field(default_factory=LabelContent)
    products: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    output: Output = field(default_factory=PdfOutput)

    def run(self, font: Path | None = None) -> bytes:
        """Encode, lay out and write the file; texts are set in `font` or else in a bundled face.

        Raises InvalidContent, which names the codes that cannot be printed, the placeholders that nothing fills, the
        texts that no face can set, or the codes whose labels are too small.
        """
        from barcodesvc.labels.sheet_layout import Label, lay_out_in_order  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.text.typefaces import named_face  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.text.typesetting import Typesetter  # noqa: PLC0415 - loaded at its first use

        face = named_face(font) if font else None
        typesetter = Typesetter(face)
        _require_lines(typesetter.check, self.content.lines)
        problems: list[Problem] = []
        order, positions = self._filled(problems)
        symbols = self._symbols(positions, typesetter.check, problems)
        labels = (Label(symbols[label.payload], label.code, label.texts) for label in positions)
        return self.output.write(lay_out_in_order(labels, order, self.sheet, self.settings, face))

    def _filled(self, problems: list[Problem]) -> tuple[list[int], dict[FilledLabel, int]]:
        """Return the index of each printed label among the different ones, and these with their first position.

        Add a problem for each entry that cannot be filled in.
        """
        order: list[int] = []
        positions: dict[FilledLabel, int] = {}
        numbers: dict[FilledLabel, int] = {}
        number, is_numbered = self.content.number_from, self.content.is_numbered
        for position, entry in enumerate(self.entries):
            product = self.products.get(entry.code, {})
            different, equal = (entry.copies, 1) if is_numbered else (1, entry.copies)
            try:
                labels = [self.content.label(entry, product, number + copy) for copy in range(different)]
            except UnfilledError as error:
                message = f"{entry.code}: {error}"
                problems.append(_problem(position, entry.code, {"rule": "placeholder"}, message))
            except InvalidContent as refusal:
                message = f"the payload of {entry.code}: {refusal.message}"
                problems.append(_problem(position, entry.code, refusal.details, message))
            else:
                for label in labels:
                    positions.setdefault(label, position)
                    order += [numbers.setdefault(label, len(numbers))] * equal
            number += entry.copies
        return order, positions

    def _symbols(self, labels: Mapping[FilledLabel, int], check: Check, problems: list[Problem]) -> dict[str, Symbol]:
        """Return the symbols by what they hold; raises InvalidContent with all problems."""
        symbols: dict[str, Symbol] = {}
        refused: set[str] = set()
        for (code, payload, texts), position in labels.items():
            try:
                if payload not in symbols and payload not in refused:
                    symbols[payload] = self.symbology.encode(payload)
            except InvalidContent as refusal:
                refused.add(payload)
                message = refusal.message if payload == code else f"the payload of {code}: {refusal.message}"
                problems.append(_problem(position, code, refusal.details, message))
            try:
                for text in texts:
                    check(text if isinstance(text, str) else text.text)
            except InvalidContent as refusal:
                problems.append(_problem(position, code, refusal.details, f"a text of {code}: {refusal.message}"))
        if problems:
            raise InvalidContent(_summary(problems), errors=problems)
        return symbols


def _require_lines(check: Check, lines: Sequence[TextLine]) -> None:
    """Raise InvalidContent for lines that no face can set, with one problem for each line, not for each label."""
    problems = []
    for position, line in enumerate(lines):
        try:
            check(line.template.written)
        except InvalidContent as refusal:
            field, text = f"layout.lines.{position}", line.template.written
            problems.append(field_problem(field, refusal.message, text, **refusal.details))
    if problems:
        raise InvalidContent(_summary(problems), errors=problems)


def _problem(position: int, code: str, rule: Mapping[str, Any], message: str) -> Problem:
    return field_problem(f"products.{position}", message, code, **rule)


def _summary(problems: Sequence[Problem]) -> str:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{problems[0]['field']}: {problems[0]['message']}{more}"
