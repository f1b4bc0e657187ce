"""Imports and memory of a start, observed in fresh processes."""

import json
import subprocess
import sys
from pathlib import Path

import psutil

from tests.served import MODULE, Service

HEAVY = {"PIL", "barcode", "borb", "openpyxl", "segno", "uharfbuzz", "xlrd", "zxingcpp"}
"""Libraries that are slow to load or use much memory, and that no start needs."""
MOST_RESIDENT = 70 * 2**20
"""Memory of the service and its children in bytes right after the start."""
A_CODE = """
import sys
from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.symbols.registry import find_symbology
for with_text in (False, True):
    BarcodeKey(find_symbology("CODE128"), "A", ModuleWidth(2), 50, with_text).render()
    print("uharfbuzz" in sys.modules)
"""
AT_THE_START = "import json, sys, barcodesvc.__main__; print(json.dumps(list(sys.modules)))"


def test_a_start_loads_nothing_that_few_requests_need() -> None:
    """The libraries of codes, labels, spreadsheets and images are loaded by the first request that needs them."""
    ran = subprocess.run([sys.executable, "-c", AT_THE_START], capture_output=True, text=True, check=True)  # noqa: S603 - above
    modules = set(json.loads(ran.stdout))
    assert "barcodesvc.app" in modules
    assert {module.partition(".")[0] for module in modules} & HEAVY == set()
    assert not any(module.startswith("barcodesvc.printers.") for module in modules)


def test_a_font_is_loaded_by_the_first_caption() -> None:
    """A service that draws codes without text needs neither the font library nor a font."""
    ran = subprocess.run([sys.executable, "-c", A_CODE], capture_output=True, text=True, check=True)  # noqa: S603 - above
    assert ran.stdout.split() == ["False", "True"]


def test_a_service_that_has_done_nothing_takes_little_memory(tmp_path: Path) -> None:
    """It fits on a small machine with other services; a request loads what it needs beyond that."""
    with Service(tmp_path, *MODULE) as service:
        process = psutil.Process(service.process.pid)
        resident = sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])
    assert resident <= MOST_RESIDENT
