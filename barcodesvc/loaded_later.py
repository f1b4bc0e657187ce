"""What the service needs for its first sheet of labels, its first file or its page, but not to start.

Half of the time of a start would be its loading. So the functions that need it import it for themselves, all of them in
threads, and it is loaded here as soon as the service listens: module by module in a thread beside the event loop, the
small ones first. Whoever needs a module earlier loads it, or waits for the thread that does.

Rule: PUT_OFF is the list; a test holds that it names what functions import, and that a start loads nothing of it.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Iterable
from importlib import import_module

_LOG = logging.getLogger(__name__)

PUT_OFF = (
    "barcodesvc.spreadsheets.xls",
    "barcodesvc.spreadsheets.xlsx",
    "barcodesvc.spreadsheets.sheet_design",
    "barcodesvc.labels.text.typefaces",
    "barcodesvc.labels.text.typesetting",
    "barcodesvc.labels.sheet_layout",
    "barcodesvc.labels.writers.pdf",
    "barcodesvc.api.openapi.document",
)


async def load_the_rest(modules: Iterable[str] = PUT_OFF) -> None:
    """Load what was put off, and keep garbage collections from walking it; who is cancelled leaves the rest unloaded.

    A module that cannot be loaded is logged; each request that needs it tries again.
    """
    for module in modules:
        try:
            await asyncio.to_thread(import_module, module)
        except Exception as error:  # noqa: BLE001 - a library may raise anything when it is loaded
            _LOG.error("%s cannot be loaded now, and is tried when it is needed: %r", module, error)
    gc.freeze()
