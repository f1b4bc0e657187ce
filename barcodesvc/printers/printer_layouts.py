"""The printers of the settings, with the layout that the options of each give.

Rule: the settings describe the printhead, and a request cannot change it; it decides what is on the labels, and where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import ValidationError

from barcodesvc.config import Settings
from barcodesvc.errors import FieldProblem, InvalidInput, ServiceError, StartError
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.printer_addresses import PrinterAddress, printer_of
from barcodesvc.printers.printer import Printer
from barcodesvc.validation import problems_of

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_TEXTS = ("sheet", "page_size")
"""Fields of a layout whose values may look like numbers."""
_BOOLEANS = {"true": True, "false": False}
_PRINTHEAD = {"dpi", "graphics"}


@dataclass(frozen=True, slots=True)
class PrinterLayout:
    """A printer of the settings, and the layout that its options give; `media` names its labels or sheets."""

    printer: Printer
    layout: Layout
    media: str


def printer_layouts(settings: Settings) -> dict[str, PrinterLayout]:
    """Return the printers of the settings by name; raises StartError for an option that fits no layout."""
    return {one.printer.address.name: one for one in map(_printer_layout, settings.printers)}


def merged(layout: Layout, request: Layout) -> Layout:
    """Return the layout of a printer with the changes of a request; what the settings say of the printhead stays."""
    changed = request.model_fields_set - (layout.model_fields_set & _PRINTHEAD)
    return layout.model_copy(update={name: getattr(request, name) for name in changed})


def require_roll(printer: PrinterLayout, layout: Layout) -> None:
    """Raise InvalidInput for a sheet in a label printer."""
    if printer.printer.address.kind != "ipp" and not layout.laid_out().is_roll:
        message = "the printer prints rolls; name one by the size of its labels, such as 100x50mm"
        raise InvalidInput.of(FieldProblem("layout.sheet", message))


def _printer_layout(text: str) -> PrinterLayout:
    address = printer_of(text)
    try:
        layout = Layout.model_validate({name: _value(name, value) for name, value in address.layout.items()})
        page = layout.laid_out().page
    except ValidationError as error:
        problem = next(problems_of(error.errors(include_url=False), Layout, "options"))
        raise _refused(address, f"{problem.field}: {problem.message}") from error
    except ServiceError as error:
        raise _refused(address, error.message) from error
    if layout.name is not None:
        raise _refused(address, "name: requests name saved layouts, settings do not")
    return PrinterLayout(Printer(address, (page.width, page.height), layout.dpi), layout, address.layout["sheet"])


def _refused(address: PrinterAddress, problem: str) -> StartError:
    return StartError(f"BARCODESVC_PRINTERS: printer {address.name!r}: {problem}")


def _value(name: str, text: str) -> object:
    """Return the value of an option's text."""
    if name in _TEXTS:
        return text
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return _BOOLEANS.get(text, text)
