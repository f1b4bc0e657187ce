"""What the device keeps: its settings, and a copy of the catalogue for look-ups without the network."""

from base64 import b64decode
from importlib.metadata import version
from pathlib import Path

from tests.browser.chromium import Chromium
from tests.browser.keyboard import Keyboard, scan
from tests.page.conftest import ServiceMaker
from tests.page.controls import INSTALLED, RECORD_SOUNDS, choose, control, hurry, press, write
from tests.page.scanning import LIST, PANEL, level, lists
from tests.page.test_in_front import PIXEL
from tests.page.test_key import KEY
from tests.served import Service

PRODUCT = {"product_code": "A-1", "description": "Blue pen", "initial_level": 10}
COPY = """
const { src } = document.querySelector('script[src*=main]');
return import(src.replace('main.js', 'catalogue/copy.js')).then(({ extent }) => extent()).then((copy) => copy?.count);
"""
PUTS_IN = "return document.querySelector('input:checked')?.value === 'put-in'"
CALL = """
const [method, path, body] = arguments;
const headers = { 'Content-Type': 'application/json' };
return fetch(path, { method, headers, body: body && JSON.stringify(body) }).then((response) => response.status);
"""
KEPT = "return JSON.parse(localStorage['barcodesvc.settings'] ?? '{}')"


def kept(browser: Chromium) -> dict[str, object]:
    """Return the settings stored in the browser."""
    settings: dict[str, object] = browser.run(KEPT)
    return settings


def test_each_setting_is_kept_and_applied_at_once(lasting_service: Service, browser: Chromium, tmp_path: Path) -> None:
    """There is no save button; a name counts once its field is left, and a file that is no picture is refused.

    The language is that of each view from now on; source and API are one tap away.
    """
    browser.open(f"{lasting_service.address}/#settings")
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
    browser.shows("Ihr Name")
    assert browser.run("return document.documentElement.lang") == "de"
    choose(browser, "Sprache", "English")
    browser.shows(f"barcodesvc {version('barcodesvc')}")
    for name, path in (("Source code", "/source"), ("API documentation", "/api/docs")):
        assert control(browser, "link", name).get_attribute("href") == lasting_service.address + path


def open_with_copy(browser: Chromium, service: Service) -> None:
    """Open the start, and wait until the device has a copy of the one product."""
    hurry(browser)
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=RECORD_SOUNDS)
    browser.open(service.address)
    browser.until(lambda: browser.run(COPY) == 1)


def says(browser: Chromium, *texts: str) -> None:
    """Wait until all these texts are on the panel of the product."""
    browser.until(lambda: all(text in browser.run(PANEL) for text in texts))


def test_what_the_device_remembers_is_looked_up_without_the_service(service: Service, browser: Chromium) -> None:
    """Exact codes only, in every view, after a reload, with own changes; others are marked and sound different."""
    service.call("POST", "/api/products", PRODUCT)
    open_with_copy(browser, service)
    browser.found(INSTALLED)
    browser.run("location.hash = '#scan?mode=put-in'")
    browser.found(PUTS_IN)
    scan(browser, "A-1")
    says(browser, "Add", "11")
    service.kill()
    browser.driver.refresh()
    browser.found(PUTS_IN)
    with Keyboard(browser) as keyboard:
        keyboard.scan("A-1")
        says(browser, "Waiting", "Blue pen", "12")
        keyboard.scan("B-9")
        says(browser, "Not checked, but saved")
        browser.run("document.querySelector('input[value=look-up]').click()")
        keyboard.scan("A-1")
        says(browser, "Blue pen", "memory, as of", "Stock as of", "12")
        browser.found("return heard.splice(0).length > 0")
        keyboard.scan("a-1")
        says(browser, "Not checked")
        assert browser.run("return heard") == [660, 660]
        browser.run("location.hash = '#stock'")
        browser.shows("Movements")
        keyboard.scan("A-1")
        browser.shows("Blue pen (A-1): 12. From this device")
        keyboard.scan("a-1")
        browser.shows("Not checked: the service cannot be reached.")
    browser.run("location.hash = '#scan'")
    browser.until(lambda: "Blue pen" in browser.run(LIST) and "not checked" in browser.run(LIST))
    service.start()
    lists(browser, "refused", "booked", "booked")
    assert level(service) == 12


def test_a_device_without_a_session_remembers_nothing(make_service: ServiceMaker, browser: Chromium) -> None:
    """A refused key deletes the copy, and a reload loads none; so does logging out. The settings say what there is."""
    service = make_service(api_key=KEY)
    browser.open(service.address)
    assert browser.run(CALL, "POST", "/api/page/session", {"api_key": KEY}) == 200
    assert browser.run(CALL, "POST", "/api/products", PRODUCT) == 201
    open_with_copy(browser, service)
    assert browser.run(CALL, "DELETE", "/api/page/session", None) == 200
    scan(browser, "A-1")
    browser.shows("This service needs an access key")
    browser.until(lambda: browser.run(COPY) is None)
    browser.driver.refresh()
    browser.shows("This service needs an access key")
    assert browser.run(COPY) is None
    assert browser.run(CALL, "POST", "/api/page/session", {"api_key": KEY}) == 200
    browser.driver.refresh()
    browser.until(lambda: browser.run(COPY) == 1)
    browser.run("location.hash = '#settings'")
    browser.shows("Products on this device, without the network too: 1 of 1, as of")
    press(browser, "Log out")
    browser.shows("This service needs an access key")
    browser.until(lambda: browser.run(COPY) is None)
