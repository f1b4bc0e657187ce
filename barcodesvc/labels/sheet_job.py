"""Sheet jobs: codes, their texts and a sheet become a PDF, or a list of everything that cannot be printed.

A job runs in a thread of its queue from beginning to end, so that a request for thousands of labels costs the event
loop little. Each code is encoded once, however often it is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from barcodesvc.errors import FieldProblem, InvalidContent
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheets import Sheet
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import Symbology

Check = Callable[[str], None]
"""Raises InvalidContent for a text that cannot be set."""


TEXT_FIELDS = ("description", "category", "unit_of_measure")
"""The fields of a product that can be printed on its label."""


@dataclass(frozen=True, slots=True)
class SheetJob:
    """A sheet of `labels` labels.

    entries: each code with its number of copies, in the order of the request; iterated once;
    product_texts: the TEXT_FIELDS of products by code; only `fields` are printed, below the symbol;
    lines: printed below these on every label;
    created: the date of the document as an ISO 8601 timestamp in UTC, None for no date.
    """

    labels: int
    entries: Iterable[tuple[str, int]]
    symbology: Symbology
    sheet: Sheet
    settings: PrintSettings
    product_texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fields: Sequence[str] = ()
    lines: Sequence[str] = ()
    created: str | None = None

    def run(self, font: Path | None = None) -> bytes:
        """Encode, lay out and write the PDF; texts beyond Helvetica are set in `font`, or else in a bundled face.

        Raises InvalidContent, which names the codes that cannot be printed and the texts that no face can set.
        """
        from barcodesvc.labels.sheet_layout import Label, lay_out  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.text.typefaces import named_face  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.text.typesetting import Typesetter  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.writers.pdf import write_pdf  # noqa: PLC0415 - loaded at its first use

        codes: list[str] = []
        positions: dict[str, int] = {}
        for position, (code, copies) in enumerate(self.entries):
            positions.setdefault(code, position)
            codes += [code] * copies
        face = named_face(font) if font else None
        texts = self._texts(positions)
        symbols = self._symbols(positions, texts, Typesetter(face).check)
        labels = [Label(symbols[code], code, texts[code]) for code in codes]
        return write_pdf(lay_out(labels, self.sheet, self.settings, face), self.created)

    def _texts(self, codes: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the texts below each code: its product's fields, then the lines, without empty ones."""
        lines = tuple(filter(None, self.lines))
        indexes = [TEXT_FIELDS.index(name) for name in self.fields]
        if not indexes:
            return dict.fromkeys(codes, lines)
        found = self.product_texts
        return {code: (*filter(None, [found[code][index] for index in indexes]), *lines) for code in codes}

    def _symbols(
        self, positions: Mapping[str, int], texts: Mapping[str, Sequence[str]], check: Check
    ) -> dict[str, Symbol]:
        _require_lines(check, self.lines)
        symbols: dict[str, Symbol] = {}
        problems: list[dict[str, Any]] = []
        for code, position in positions.items():
            try:
                symbols[code] = self.symbology.encode(code)
            except InvalidContent as refusal:
                problems.append(_problem(position, code, refusal, refusal.message))
            try:
                for text in texts[code]:
                    check(text)
            except InvalidContent as refusal:
                problems.append(_problem(position, code, refusal, f"a text of {code}: {refusal.message}"))
        if problems:
            raise InvalidContent(_summary(problems), errors=problems)
        return symbols


def _require_lines(check: Check, lines: Sequence[str]) -> None:
    """Raise InvalidContent for lines that no face can set, with one problem for each line, not for each label."""
    problems = []
    for position, line in enumerate(lines):
        try:
            check(line)
        except InvalidContent as refusal:
            problems.append(
                {**refusal.details, **FieldProblem(f"layout.lines.{position}", refusal.message, line).as_json()}
            )
    if problems:
        raise InvalidContent(_summary(problems), errors=problems)


def _problem(position: int, code: str, refusal: InvalidContent, message: str) -> dict[str, Any]:
    return {**refusal.details, **FieldProblem(f"products.{position}", message, code).as_json()}


def _summary(problems: Sequence[Mapping[str, Any]]) -> str:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{problems[0]['field']}: {problems[0]['message']}{more}"
