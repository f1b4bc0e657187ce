"""The page in each language: it follows the browser, and its short names fit on a small screen."""

from __future__ import annotations

import pytest

from tests.page.conftest import BrowserMaker
from tests.page.test_every_view import CUT_NAMES
from tests.served import Service


@pytest.mark.parametrize(
    ("region", "ready"),
    [
        ("fr-FR", "Prêt. Scannez un code."),
        pytest.param("es-ES", "Listo. Escanee un código.", marks=pytest.mark.full_run),
        pytest.param("de-AT", "Bereit. Scannen Sie einen Code.", marks=pytest.mark.full_run),
    ],
)
def test_the_page_speaks_the_language_of_the_browser(
    lasting_service: Service, make_browser: BrowserMaker, region: str, ready: str
) -> None:
    """The first view is in this language, and says so to screen readers; no name of a view is cut."""
    browser = make_browser(language=region)
    browser.resize(320, 640, mobile=True)
    browser.open(f"{lasting_service.address}/#scan?mode=look-up")
    browser.shows(ready)
    assert browser.run("return document.documentElement.lang") == region[:2]
    assert browser.run("return document.querySelectorAll('nav a').length") == 5
    assert browser.run(CUT_NAMES) == []
