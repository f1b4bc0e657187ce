"""The settings of a device: each within its bounds, stored in the browser, and applied."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest

from scripts.browser.chromium import Chromium
from tests.page.conftest import ServiceMaker
from tests.page.controls import choose, control, hurry, press, write
from tests.served import Service

KEPT = "return JSON.parse(localStorage['barcodesvc.settings'] ?? '{}')"


@pytest.fixture(scope="module")
def service(lasting_service: Service) -> Service:
    """Return one service for all of these tests, which change nothing in it."""
    return lasting_service


def kept(browser: Chromium) -> dict[str, object]:
    """Return the settings stored in the browser."""
    settings: dict[str, object] = browser.run(KEPT)
    return settings


def opened(browser: Chromium, service: Service) -> None:
    """Open the settings, with the service's choices."""
    browser.open(f"{service.address}/#settings")
    control(browser, "field", "L7160")


def test_each_setting_is_kept_at_once_and_shown_again(service: Service, browser: Chromium) -> None:
    """There is no save button, and no setting goes to the service."""
    opened(browser, service)
    write(browser, "Your name", "Mia")
    press(browser, "Sounds", "field")
    choose(browser, "Default symbology", "EAN13")
    press(browser, "More sheets")
    press(browser, "4731", "field")
    write(browser, "Move to the right", "-1.5")
    write(browser, "Move down", "2,25")
    write(browser, "Size", "101.5")
    press(browser, "Slow Bluetooth scanner", "field")
    expected = {
        "author": "Mia",
        "reasons": "",
        "language": "",
        "sounds": False,
        "slowScanner": True,
        "sheet": "4731",
        "layout": "",
        "printer": "",
        "symbology": "EAN13",
        "offsetX": -1.5,
        "offsetY": 2.25,
        "scale": 101.5,
        "stocked": False,
    }
    browser.until(lambda: kept(browser).items() >= expected.items())
    browser.driver.refresh()
    assert control(browser, "field", "4731").is_selected()
    names = ("Your name", "Default symbology", "Move to the right", "Move down", "Size")
    shown = [control(browser, "field", name).get_attribute("value") for name in names]
    assert shown == ["Mia", "EAN13", "-1.5", "2.25", "101.5"]
    assert not control(browser, "field", "Sounds").is_selected()


@pytest.mark.parametrize(
    ("name", "typed", "says"),
    [
        pytest.param("Move to the right", "20.1", "Please enter a number from -20 to 20.", marks=pytest.mark.full_run),
        pytest.param("Move down", "-21", "Please enter a number from -20 to 20.", marks=pytest.mark.full_run),
        pytest.param("Size", "89", "Please enter a number from 90 to 110.", marks=pytest.mark.full_run),
        ("Size", "large", "Please enter a number from 90 to 110."),
    ],
)
def test_a_number_out_of_bounds_says_so_and_is_not_kept(
    service: Service, browser: Chromium, name: str, typed: str, says: str
) -> None:
    """The field is marked, and the former value stays."""
    opened(browser, service)
    write(browser, name, typed)
    browser.shows(says)
    assert control(browser, "field", name).get_attribute("aria-invalid") == "true"

    assert abs(float(str(kept(browser).get("offsetX", 0)))) <= 20
    assert kept(browser).get("scale", 100) == 100


def test_labels_begin_with_the_sheet_and_symbology_of_the_device(service: Service, browser: Chromium) -> None:
    """The view of labels shows the choice made here, including a roll."""
    opened(browser, service)
    choose(browser, "Default symbology", "QR")
    press(browser, "Roll", "field")
    write(browser, "Label size on the roll", "62x29")
    browser.until(lambda: kept(browser).get("sheet") == "62x29mm")
    press(browser, "Labels", "link")
    control(browser, "field", "Search products")
    assert control(browser, "field", "Label size on the roll").get_attribute("value") == "62x29mm"
    assert control(browser, "field", "Symbology").get_attribute("value") == "QR"


def test_the_language_changes_at_once(service: Service, browser: Chromium) -> None:
    """Every text of the view, and those of the navigation."""
    opened(browser, service)
    choose(browser, "Language", "Deutsch")
    browser.shows("Einstellungen")
    browser.shows("Nach rechts verschieben, in mm")
    assert browser.run("return document.documentElement.lang") == "de"
    write(browser, "Größe", "101,5")
    browser.until(lambda: kept(browser)["scale"] == 101.5)
    choose(browser, "Sprache", "English")
    browser.shows("Settings")
    assert control(browser, "field", "Size").get_attribute("value") == "101.5"


def test_without_the_service_the_other_settings_can_be_made(make_service: ServiceMaker, browser: Chromium) -> None:
    """Loading the service's choices can be retried, in the settings and in the view of labels."""
    service = make_service()
    hurry(browser)
    opened(browser, service)
    press(browser, "Labels", "link")
    control(browser, "field", "Search products")
    browser.found("return navigator.serviceWorker.controller !== null")
    service.kill()
    press(browser, "Settings", "link")
    browser.shows("The service cannot be reached.")
    write(browser, "Your name", "Mia")
    browser.until(lambda: kept(browser).get("author") == "Mia")
    press(browser, "Labels", "link")
    browser.found("return document.body.dataset.view === 'labels'")
    browser.shows("The service cannot be reached.")
    service.start()
    press(browser, "Try again")
    control(browser, "field", "Search products")


@pytest.mark.full_run
def test_the_settings_keep_no_one_out(
    service: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """Even with a number that is out of bounds."""
    opened(browser, service)
    write(browser, "Size", "1")
    browser.shows("Please enter a number from 90 to 110.")
    assert inaccessible(browser) == []


def test_source_licence_and_api_are_one_tap_away(service: Service, browser: Chromium) -> None:
    """Each link leads to a page of the service, and the version is above them."""
    opened(browser, service)
    browser.shows(f"barcodesvc {version('barcodesvc')}")
    source = "Source code, with the handbook in its folder docs"
    for name, path in ((source, "/source"), ("API documentation", "/api/docs")):
        assert control(browser, "link", name).get_attribute("href") == service.address + path
        assert service.download(path)
