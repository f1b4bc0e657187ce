"""A print job: codes, their texts and a sheet become a PDF, or a list of all that cannot be printed.

A symbol is encoded once per code however often it is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from barcodesvc.errors import FieldProblem, InvalidContent, InvalidInput
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheets import Sheet
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import Symbology

Check = Callable[[str], None]
"""Raises InvalidContent for a text that cannot be set."""


@dataclass(frozen=True, slots=True)
class PrintJob:
    """Labels to print: a code each, in order; `texts` by code, below its symbol, those that are not empty.

    positions: where in the request each code stands first; lines: those of the texts that all labels have in common;
    created: the date of the document as an ISO 8601 timestamp in UTC, None for no date.
    """

    codes: Sequence[str]
    symbology: Symbology
    sheet: Sheet
    settings: PrintSettings
    texts: Mapping[str, tuple[str, ...]]
    positions: Mapping[str, int]
    lines: Sequence[str] = ()
    created: str | None = None

    def run(self, font: Path | None = None) -> bytes:
        """Encode, lay out and write the PDF; what Helvetica lacks is set in `font`, then in those carried.

        Raises InvalidInput naming the codes that cannot be printed and the texts that no face can set.
        """
        from barcodesvc.labels.sheet_layout import Label, lay_out  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.text.typefaces import named_face  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.text.typesetting import Typesetter  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.writers.pdf import write_pdf  # noqa: PLC0415 - loaded at its first use

        face = named_face(font) if font else None
        symbols = self._symbols(Typesetter(face).check)
        labels = [Label(symbols[code], code, self.texts.get(code, ())) for code in self.codes]
        return write_pdf(lay_out(labels, self.sheet, self.settings, face), self.created)

    def _symbols(self, check: Check) -> dict[str, Symbol]:
        _require_lines(check, self.lines)
        symbols: dict[str, Symbol] = {}
        problems: list[dict[str, Any]] = []
        for code, position in self.positions.items():
            try:
                symbols[code] = self.symbology.encode(code)
            except InvalidContent as refusal:
                problems.append(_problem(position, code, refusal, refusal.message))
            try:
                for text in self.texts.get(code, ()):
                    check(text)
            except InvalidContent as refusal:
                problems.append(_problem(position, code, refusal, f"a text of {code}: {refusal.message}"))
        if problems:
            raise InvalidInput(_summary(problems), errors=problems)
        return symbols


def _require_lines(check: Check, lines: Sequence[str]) -> None:
    """Raise InvalidInput for lines that no face can set; they are one problem each, not one of every label."""
    problems = []
    for position, line in enumerate(lines):
        try:
            check(line)
        except InvalidContent as refusal:
            problems.append(
                {**refusal.details, **FieldProblem(f"layout.lines.{position}", refusal.message, line).as_json()}
            )
    if problems:
        raise InvalidInput(_summary(problems), errors=problems)


def _problem(position: int, code: str, refusal: InvalidContent, message: str) -> dict[str, Any]:
    return {**refusal.details, **FieldProblem(f"products.{position}", message, code).as_json()}


def _summary(problems: Sequence[Mapping[str, Any]]) -> str:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{problems[0]['field']}: {problems[0]['message']}{more}"
