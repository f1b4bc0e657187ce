"""A kiosk whose Chromium prints without a dialog, started as the documentation says, on a display without a screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By

from tests.browser.keyboard import scan
from tests.page.conftest import BrowserMaker
from tests.page.printing import codes_of
from tests.served import Service
from tests.test_commands_of_pages import blocks

PEN = "4006381333931"
TO_A_FILE = {
    "version": 2,
    "selectedDestinationId": "Save as PDF",
    "recentDestinations": [{"id": "Save as PDF", "origin": "local", "account": ""}],
}
"""What the print dialog remembers of a person who has printed to a file."""


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Offer a display without a screen: a headless Chromium never prints."""
    program = shutil.which("Xvfb")
    if program is None:
        pytest.skip("not installed: xvfb")
    read, write = os.pipe()
    command = [program, "-displayfd", str(write), "-screen", "0", "1400x900x24"]
    with subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL) as server:  # noqa: S603 - fixed text
        os.close(write)
        with os.fdopen(read) as told:
            monkeypatch.setenv("DISPLAY", f":{told.readline().strip()}")
        yield
        server.terminate()


def documented_flags() -> list[str]:
    """Return the flags of the command that starts a kiosk, apart from its profile."""
    [command] = [block.text for block in blocks() if block.heading == "Printing without a dialog"]
    return [word for word in command.split() if word.startswith("--") and "=" not in word]


@pytest.mark.full_run
@pytest.mark.usefixtures("display")
def test_the_documented_command_prints_without_a_dialog(
    service: Service, make_browser: BrowserMaker, tmp_path: Path
) -> None:
    """The document goes to the printer that was chosen last, here a file, and no dialog opens."""
    service.call("POST", "/api/products", {"product_code": PEN, "description": "Blue pen"})
    preferences = {
        "printing.print_preview_sticky_settings.appState": json.dumps(TO_A_FILE),
        "savefile.default_directory": str(tmp_path),
    }
    browser = make_browser(*documented_flags(), headless=False, preferences=preferences)
    browser.open(f"{service.address}/#kiosk?sheet=50x30mm")
    browser.shows("Scan a product")
    scan(browser, PEN)
    browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".kiosk .main"))[0].click()
    [document] = browser.until(lambda: list(tmp_path.glob("*.pdf")))
    browser.until(lambda: document.read_bytes().rstrip().endswith(b"%%EOF"))
    assert [code.text for code in codes_of(document.read_bytes())] == [PEN]
    assert len(browser.driver.window_handles) == 1
