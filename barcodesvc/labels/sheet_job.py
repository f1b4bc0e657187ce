"""Sheet jobs: a request becomes labels, these a drawing and then a file; or a list of what cannot be printed.

A job runs in a thread of its queue, so that a request for thousands of labels costs the event loop little. Each code is
encoded once, however often it is printed.

Rule: if one label cannot be printed, none is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from barcodesvc.errors import InvalidContent, Problem, field_problem
from barcodesvc.labels.label_content import Label, LabelContent, LabelData
from barcodesvc.labels.label_requests import LabelsRequest
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.output import Output, as_pdf
from barcodesvc.labels.placeholders import UnfilledError
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import Symbology

Check = Callable[[str], None]
"""Raises InvalidContent for a text that cannot be set."""


@dataclass(frozen=True, slots=True)
class SheetJob:
    """The labels of a request with its whole layout, as a file; `data` is what they print that is not in it."""

    request: LabelsRequest
    data: LabelData
    output: Output = as_pdf

    def run(self, font: Path | None = None) -> bytes:
        """Encode, lay out and write the file; texts are set in `font` or else in a bundled face.

        Raises InvalidInput for a request whose fields contradict each other, and InvalidContent, which names the codes
        that cannot be printed, the placeholders that nothing fills, the texts that no face can set, or the codes whose
        labels are too small.
        """
        from barcodesvc.drawing.faces import named_face  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.sheet_layout import lay_out  # noqa: PLC0415 - loaded at its first use
        from barcodesvc.labels.text.typesetting import Typesetter  # noqa: PLC0415 - loaded at its first use

        layout, typesetter = self.request.layout, Typesetter(named_face(font) if font else None)
        _require_lines(typesetter.check, layout)
        labels = self._labels(typesetter.check)
        drawing = lay_out(labels, layout.sheet_layout(), layout, self.data.picture, typesetter)
        file = self.output(drawing)
        _free(labels, drawing.labels)
        return file

    def _labels(self, check: Check) -> list[Label]:
        """Return the labels in the order in which they are printed; raises InvalidContent with all problems."""
        content = self.request.content(self.data.domain)
        making = _Making(content, self.data, self.request.symbology(), check)
        labels: list[Label] = []
        number, is_numbered = self.request.layout.number_from, content.is_numbered
        for position, (code, copies, values) in enumerate(self.request.entries()):
            different, equal = (copies, 1) if is_numbered else (1, copies)
            for copy in range(different):
                label = making.label(position, code, values, number + copy)
                if label is None:
                    break
                labels += [label] * equal
            number += copies
        if making.problems:
            raise InvalidContent(_summary(making.problems), errors=making.problems)
        return labels


@dataclass(frozen=True, slots=True)
class _Making:
    """The different labels of a run, by what they are filled with, and what is wrong with those that are None."""

    content: LabelContent
    data: LabelData
    symbology: Symbology
    check: Check
    labels: dict[tuple[str, str, tuple[str, ...]], Label | None] = field(default_factory=dict)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def label(self, position: int, code: str, values: Mapping[str, str], number: int) -> Label | None:
        """Return the label with this number of the entry at a position; None if it cannot be printed."""
        try:
            payload, texts = self.content.filled(self.data, code, values, number)
        except UnfilledError as error:
            rule = {"rule": "placeholder", "placeholder": error.placeholder}
            self._refuse(position, code, f"{code}: {error}", rule)
            return None
        except InvalidContent as refusal:
            self._refuse(position, code, f"the payload of {code}: {refusal.message}", refusal.details)
            return None
        filled = code, payload, texts
        if filled not in self.labels:
            self.labels[filled] = self._made(position, *filled)
        return self.labels[filled]

    def _made(self, position: int, code: str, payload: str, texts: tuple[str, ...]) -> Label | None:
        known = len(self.problems)
        try:
            if payload not in self.symbols:
                self.symbols[payload] = self.symbology.encode(payload)
        except InvalidContent as refusal:
            message = refusal.message if payload == code else f"the payload of {code}: {refusal.message}"
            self._refuse(position, code, message, refusal.details)
        try:
            for text in texts:
                self.check(text)
        except InvalidContent as refusal:
            self._refuse(position, code, f"a text of {code}: {refusal.message}", refusal.details)
        return None if len(self.problems) > known else Label(self.symbols[payload], code, texts)

    def _refuse(self, position: int, code: str, message: str, rule: Mapping[str, Any]) -> None:
        self.problems.append(field_problem(f"products.{position}", message, code, **rule))


def _free(*lists: list[Any]) -> None:
    """Free what is in lists one by one: to free 10,000 labels at once delays other requests."""
    for each in lists:
        while each:
            each.pop()


def _require_lines(check: Check, layout: Layout) -> None:
    """Raise InvalidContent for lines that no face can set, with one problem for each line, not for each label."""
    problems = []
    for position, line in enumerate(layout.sized_lines()):
        try:
            check(line.text)
        except InvalidContent as refusal:
            problems.append(field_problem(f"layout.lines.{position}", refusal.message, line.text, **refusal.details))
    if problems:
        raise InvalidContent(_summary(problems), errors=problems)


def _summary(problems: Sequence[Problem]) -> str:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{problems[0]['field']}: {problems[0]['message']}{more}"
