"""The page in each language: it follows the browser, and its short names fit on a small screen."""

from __future__ import annotations

from pathlib import Path

import pytest

import barcodesvc
from tests.page.conftest import BrowserMaker
from tests.page.test_every_view import CUT_NAMES
from tests.served import Service

FILES = Path(barcodesvc.__file__).parent / "page" / "languages"
LANGUAGES = sorted(file.stem for file in FILES.iterdir())
LANGUAGE = "return document.documentElement.lang"


@pytest.fixture(scope="module")
def service(lasting_service: Service) -> Service:
    """Return one service with a product for all of these tests, which change nothing in it."""
    lasting_service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"})
    return lasting_service


@pytest.mark.parametrize(
    ("region", "ready"),
    [
        ("fr-FR", "Prêt. Scannez un code."),
        pytest.param("es-ES", "Listo. Escanee un código.", marks=pytest.mark.full_run),
    ],
)
def test_the_page_speaks_the_language_of_the_browser(
    service: Service, make_browser: BrowserMaker, region: str, ready: str
) -> None:
    """The first view is in this language, and says so to screen readers."""
    browser = make_browser(language=region)
    browser.open(service.address)
    browser.shows(ready)
    assert browser.run(LANGUAGE) == region[:2]


@pytest.mark.parametrize(
    "language", [pytest.param(name, marks=() if name == "es" else pytest.mark.full_run) for name in LANGUAGES]
)
def test_no_name_of_a_view_is_cut(service: Service, make_browser: BrowserMaker, language: str) -> None:
    """Not even on a screen of 320 pixels."""
    browser = make_browser(language=language)
    browser.resize(320, 640, mobile=True)
    browser.open(service.address)
    browser.found("return document.querySelectorAll('nav a').length === 5")
    assert browser.run(LANGUAGE) == language
    assert browser.run(CUT_NAMES) == []
