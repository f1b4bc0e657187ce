"""The settings of a device: each within its bounds, stored in the browser, and applied."""

from __future__ import annotations

from base64 import b64decode
from importlib.metadata import version
from pathlib import Path

from tests.browser.chromium import Chromium
from tests.page.conftest import ServiceMaker
from tests.page.controls import choose, control, hurry, press, write
from tests.page.test_status_line import PIXEL
from tests.served import Service

KEPT = "return JSON.parse(localStorage['barcodesvc.settings'] ?? '{}')"


def kept(browser: Chromium) -> dict[str, object]:
    """Return the settings stored in the browser."""
    settings: dict[str, object] = browser.run(KEPT)
    return settings


def opened(browser: Chromium, service: Service) -> None:
    """Open the settings."""
    browser.open(f"{service.address}/#settings")
    control(browser, "field", "Your name")


def test_each_setting_is_kept_and_applied_at_once(lasting_service: Service, browser: Chromium, tmp_path: Path) -> None:
    """There is no save button; a name counts once its field is left, and a file that is no picture is refused.

    The language is that of each view from now on; source and API are one tap away.
    """
    opened(browser, lasting_service)
    write(browser, "Your name", "Mia")
    assert kept(browser)["author"] == "Ann"
    write(browser, "Name of the shop", "Corner Shop\t")
    press(browser, "Sounds", "field")
    press(browser, "Slow Bluetooth scanner", "field")
    expected = {"author": "Mia", "sounds": False, "slowScanner": True, "shopName": "Corner Shop"}
    browser.until(lambda: kept(browser).items() >= expected.items())
    (tmp_path / "logo.png").write_bytes(b"no picture")
    field = browser.found("return document.querySelector('main input[type=file]')")
    field.send_keys(str(tmp_path / "logo.png"))
    browser.shows("This picture cannot be read.")
    (tmp_path / "logo.png").write_bytes(b64decode(PIXEL))
    field.send_keys(str(tmp_path / "logo.png"))
    press(browser, "Remove the logo")
    browser.until(lambda: kept(browser)["logo"] == "")
    browser.driver.refresh()
    assert control(browser, "field", "Your name").get_attribute("value") == "Mia"
    assert not control(browser, "field", "Sounds").is_selected()
    choose(browser, "Language", "Deutsch")
    browser.shows("Einstellungen")
    browser.shows("Ihr Name")
    assert browser.run("return document.documentElement.lang") == "de"
    choose(browser, "Sprache", "English")
    browser.shows("Settings")
    browser.shows(f"barcodesvc {version('barcodesvc')}")
    source = "Source code, with the handbook in its folder docs"
    for name, path in ((source, "/source"), ("API documentation", "/api/docs")):
        assert control(browser, "link", name).get_attribute("href") == lasting_service.address + path
        assert lasting_service.download(path)


def test_without_the_service_the_page_opens_and_settings_can_be_made(
    make_service: ServiceMaker, browser: Chromium
) -> None:
    """After the first visit, and the settings say so; what another view needs of the service can be tried again."""
    service = make_service()
    opened(browser, service)
    browser.shows("The web app needs the network to open, because this browser has not saved it.")
    hurry(browser)
    browser.driver.refresh()
    browser.found("return navigator.serviceWorker.controller !== null")
    service.kill()
    browser.driver.refresh()
    browser.shows("The web app also opens without the network.")
    write(browser, "Your name", "Mia")
    press(browser, "Labels", "link")
    assert kept(browser)["author"] == "Mia"
    browser.found("return document.body.dataset.view === 'labels'")
    browser.shows("The service cannot be reached.")
    service.start()
    press(browser, "Try again")
    control(browser, "field", "Search products")
