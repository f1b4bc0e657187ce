"""The settings of a device: each within its bounds, stored in the browser, and applied."""

from __future__ import annotations

from base64 import b64decode
from importlib.metadata import version
from pathlib import Path

import pytest

from scripts.browser.chromium import Chromium
from tests.page.conftest import ServiceMaker
from tests.page.controls import choose, control, hurry, press, write
from tests.page.test_status_line import PIXEL
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
    """Open the settings."""
    browser.open(f"{service.address}/#settings")
    control(browser, "field", "Your name")


def test_each_setting_is_kept_at_once_and_shown_again(service: Service, browser: Chromium) -> None:
    """There is no save button, and no setting goes to the service. A name counts once its field is left."""
    opened(browser, service)
    write(browser, "Your name", "Mia")
    assert kept(browser)["author"] == "Ann"
    press(browser, "Sounds", "field")
    press(browser, "Slow Bluetooth scanner", "field")
    expected = {"author": "Mia", "sounds": False, "slowScanner": True}
    browser.until(lambda: kept(browser).items() >= expected.items())
    browser.driver.refresh()
    assert control(browser, "field", "Your name").get_attribute("value") == "Mia"
    assert not control(browser, "field", "Sounds").is_selected()


def test_the_shop_has_a_name_and_a_logo(service: Service, browser: Chromium, tmp_path: Path) -> None:
    """A file that is no picture is refused in words; a picture is kept, and can be removed."""
    opened(browser, service)
    write(browser, "Name of the shop", "Corner Shop\t")
    browser.until(lambda: kept(browser).get("shopName") == "Corner Shop")
    (tmp_path / "logo.png").write_bytes(b"no picture")
    field = browser.found("return document.querySelector('main input[type=file]')")
    field.send_keys(str(tmp_path / "logo.png"))
    browser.shows("This picture cannot be read.")
    (tmp_path / "logo.png").write_bytes(b64decode(PIXEL))
    field.send_keys(str(tmp_path / "logo.png"))
    press(browser, "Remove the logo")
    browser.until(lambda: kept(browser)["logo"] == "")


def test_the_language_changes_at_once(service: Service, browser: Chromium) -> None:
    """Every text of the view, and those of the navigation."""
    opened(browser, service)
    choose(browser, "Language", "Deutsch")
    browser.shows("Einstellungen")
    browser.shows("Ihr Name")
    assert browser.run("return document.documentElement.lang") == "de"
    choose(browser, "Sprache", "English")
    browser.shows("Settings")


def test_without_the_service_settings_can_be_made(make_service: ServiceMaker, browser: Chromium) -> None:
    """And loading what the view of labels needs can be tried again."""
    service = make_service()
    hurry(browser)
    opened(browser, service)
    press(browser, "Labels", "link")
    control(browser, "field", "Search products")
    browser.found("return navigator.serviceWorker.controller !== null")
    service.kill()
    press(browser, "Settings", "link")
    write(browser, "Your name", "Mia")
    press(browser, "Labels", "link")
    assert kept(browser)["author"] == "Mia"
    browser.found("return document.body.dataset.view === 'labels'")
    browser.shows("The service cannot be reached.")
    service.start()
    press(browser, "Try again")
    control(browser, "field", "Search products")


def test_source_licence_and_api_are_one_tap_away(service: Service, browser: Chromium) -> None:
    """Each link leads to a page of the service, and the version is above them."""
    opened(browser, service)
    browser.shows(f"barcodesvc {version('barcodesvc')}")
    source = "Source code, with the handbook in its folder docs"
    for name, path in ((source, "/source"), ("API documentation", "/api/docs")):
        assert control(browser, "link", name).get_attribute("href") == service.address + path
        assert service.download(path)
