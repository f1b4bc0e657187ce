"""Sheet jobs: codes, their texts and a sheet become a file, or a list of everything that cannot be printed.

A job runs in a thread of its queue, so that a request for thousands of labels costs the event loop little. Each code is
encoded once, however often it is printed.

Rule: if one label cannot be printed, none is. A streamed file begins before its last label is drawn, so its labels are
laid out twice, unless `label_bound` shows at once that all of them have room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from barcodesvc.errors import FieldProblem, InvalidContent
from barcodesvc.labels.drawing import SheetDrawing
from barcodesvc.labels.label_content import LabelContent
from barcodesvc.labels.output import Output, PdfOutput
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheets import Sheet
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import Symbology

Check = Callable[[str], None]
"""Raises InvalidContent for a text that cannot be set."""


@dataclass(frozen=True, slots=True)
class SheetJob:
    """A run of `labels` labels on a sheet or a roll.

    entries: each code with its number of copies, in the order of the request; iterated once;
    products: the texts of products by code, for what `content` prints of them.
    """

    labels: int
    entries: Iterable[tuple[str, int]]
    symbology: Symbology
    sheet: Sheet
    settings: PrintSettings
    content: LabelContent = field(default_factory=LabelContent)
    products: Mapping[str, Sequence[str]] = field(default_factory=dict)
    output: Output = field(default_factory=PdfOutput)

    def run(self, font: Path | None = None) -> Iterator[bytes]:
        """Encode, lay out and write the file, in pieces; texts are set in `font` or else in a bundled face.

        Raises InvalidContent before the first piece. It names the codes that cannot be printed, the texts that no face
        can set, or the codes whose labels are too small.
        """
        from barcodesvc.labels.label_bound import all_have_room  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.sheet_layout import Label, lay_out_in_order  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.text.typefaces import named_face  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.text.typesetting import Typesetter  # noqa: PLC0415 - loaded at its first use

        order, positions = self._taken()
        face = named_face(font) if font else None
        typesetter = Typesetter(face)
        texts = {code: self.content.texts(self.products.get(code, ())) for code in positions}

        def drawn(encode: Callable[[str], Symbol]) -> SheetDrawing:
            labels = (Label(encode(code), code, texts[code]) for code in positions)
            return lay_out_in_order(labels, order, self.sheet, self.settings, face)

        if self.output.is_streamed and all_have_room(self.symbology, texts, typesetter, self.sheet, self.settings):
            encode = self.symbology.encode
        else:
            encode = self._symbols(positions, texts, typesetter.check).__getitem__
            if self.output.is_streamed:
                drawn(encode).require_room()
        yield from self.output.write(drawn(encode))

    def _taken(self) -> tuple[list[int], dict[str, int]]:
        """Return the number of each label's code, and the position of each code in the request, in order of numbers."""
        order: list[int] = []
        positions: dict[str, int] = {}
        numbers: dict[str, int] = {}
        for position, (code, copies) in enumerate(self.entries):
            positions.setdefault(code, position)
            order += [numbers.setdefault(code, len(numbers))] * copies
        return order, positions

    def _symbols(
        self, positions: Mapping[str, int], texts: Mapping[str, Sequence[str]], check: Check
    ) -> dict[str, Symbol]:
        _require_lines(check, self.content.lines)
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
