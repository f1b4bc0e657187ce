"""The printers in the settings, with the layout that the options of each give.

Rule: the settings describe the printhead, and the labels or sheets in the printer; a request cannot change them. It
decides what is on the labels, and on which labels of a page.
"""

import re
from collections.abc import Mapping, Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from barcodesvc.config import Settings
from barcodesvc.errors import InvalidInput, ServiceError, StartError, field_problem
from barcodesvc.labels.label_requests import require_few_dots
from barcodesvc.labels.layout_requests import ARRANGEMENT, CORRECTIONS, Layout
from barcodesvc.labels.sheets import PageSize
from barcodesvc.printer_addresses import PrinterAddress, printer_of
from barcodesvc.printers.connection import Printer

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_TEXTS = ("sheet", "page_size")
"""Fields of a layout whose values may look like numbers."""
_BOOLEANS = {"true": True, "false": False}
_FIRST_OPTIONS = ("label", "sheet", "dpi", "status", "graphics", "fingerprint")
"""The options that most printers need, or that are not fields of a layout."""
_NO_OPTIONS = ("name", "lines", "image")
"""Fields of a layout that requests alone have, or that are more than a number or a word."""
_ZPL_DPI = {"dpi": "203"}
"""The option of a ZPL printer that has none: most label printers are made with this head."""
_WHOLE_NUMBER = "a whole number, such as 203"
_MUST_BE = {
    "int_type": _WHOLE_NUMBER,
    "int_from_float": _WHOLE_NUMBER,
    "float_type": "a number, such as 7 or 0.5",
    "bool_type": "true or false",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "at most {le:g}",
    "literal_error": "{expected}",
}
"""What the value of an option must be, by pydantic's name of the problem."""
_PRINTHEAD = {"dpi", "graphics"}
_OF_ITS_PAGE = {*ARRANGEMENT, *CORRECTIONS, "start_position"}


@dataclass(frozen=True, slots=True)
class PrinterLayout:
    """A printer in the settings, and the layout that its options give; `media` names its labels or sheets."""

    printer: Printer
    layout: Layout
    media: str

    def __str__(self) -> str:
        """Return the name, and what the settings say about it."""
        address = self.printer.address
        return f"{address.name} ({address}, {self.media}, {self.layout.dpi} dpi)"

    def is_page(self, page: PageSize) -> bool:
        """Return whether a page is the one in the printer."""
        return (page.width, page.height) == self.printer.media


def printer_layouts(settings: Settings) -> dict[str, PrinterLayout]:
    """Return the printers in the settings by name; raises StartError for an option that fits no layout."""
    return {one.printer.address.name: one for one in map(_printer_layout, settings.printers)}


def merged(layout: Layout, request: Layout) -> Layout:
    """Return the layout of a printer with the changes of a request; its printhead stays."""
    return layout.with_fields(request, request.model_fields_set - _PRINTHEAD)


def changes(printer: PrinterLayout, saved: Layout, asked: Layout) -> Layout:
    """Return what a request changes: the fields of the saved layout that it names, and its own.

    If the saved layout is for another page than the labels of a roll printer, only what is on its labels counts, and
    not where they are.
    """
    kept: AbstractSet[str] = saved.model_fields_set
    if printer.layout.sheet_layout().is_roll and not printer.is_page(saved.page()):
        kept -= _OF_ITS_PAGE
    return Layout().with_fields(saved, kept).with_fields(asked, asked.model_fields_set - {"name"})


def require_media(printer: PrinterLayout, layout: Layout) -> None:
    """Raise InvalidInput for a layout of another page than the one in the printer."""
    if not printer.is_page(layout.sheet_layout().page):
        message = f"the printer has {printer.media}, which is another page"
        raise InvalidInput.of(field_problem("layout.sheet", message, layout.sheet))


def _printer_layout(text: str) -> PrinterLayout:
    address = printer_of(text)
    options = address.layout if address.kind == "ipp" else {**_ZPL_DPI, **address.layout}
    try:
        layout = Layout.model_validate({name: _value(name, value) for name, value in options.items()})
        sheet = layout.sheet_layout()
        if address.kind != "ipp":  # an IPP printer may read PDF, which is not a raster
            require_few_dots(layout)
    except ValidationError as error:
        raise _refused(address, _plain(error.errors(include_url=False)[0])) from error
    except ServiceError as error:
        raise _refused(address, error.message) from error
    if layout.name is not None:
        raise _refused(address, "name: requests name saved layouts, settings do not")
    page = sheet.page
    return PrinterLayout(Printer(address, (page.width, page.height), layout.dpi), layout, address.layout["sheet"])


def _refused(address: PrinterAddress, problem: str) -> StartError:
    return StartError(f"BARCODESVC_PRINTERS: printer {address.name!r}: {problem}")


def _plain(problem: Mapping[str, Any]) -> str:
    """Return what is wrong with an option, in the words of a person who writes settings."""
    name = str(problem["loc"][0])
    if problem["type"] == "extra_forbidden":
        others = [field for field in Layout.model_fields if field not in (*_FIRST_OPTIONS, *_NO_OPTIONS)]
        return f"{name}: no such option; there are {', '.join((*_FIRST_OPTIONS, *others))}"
    said = _MUST_BE.get(problem["type"])
    return f"{name}: {said.format(**problem.get('ctx', {})) if said else problem['msg'].removeprefix('Value error, ')}"


def _value(name: str, text: str) -> object:
    """Return the value of an option's text."""
    if name in _TEXTS:
        return text
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return _BOOLEANS.get(text, text)
