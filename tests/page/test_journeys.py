"""The journeys of a shop, guided only by the screen: on a laptop and a phone, in English and German."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium
from tests.browser.keyboard import Key, Keyboard
from tests.browser.print_catcher import catch_printing
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import await_service, control, drop, keys, press, workbook
from tests.page.printing import printed_codes
from tests.page.test_key import CREATE, FIELD, KEY
from tests.served import Service

SCREENS = {"laptop": (1366, 768), "phone": (390, 844)}
CODES = ("A-1", "A-2", "A-3")
BOOKED = "return document.querySelectorAll('[data-state=booked]').length"
AMOUNT = "return document.querySelector('.amount').value"
CHOOSE = """
const choice = document.querySelector(`input[value=${arguments[0]}]`);
choice?.click();
return choice !== null;
"""
TEXTS = """
const { href } = document.querySelector('link[rel=modulepreload]');
const files = ['languages', 'further-texts'].map((folder) => new URL(`../${folder}/${arguments[0]}.js`, href).href);
return Promise.all(files.map((file) => import(file)))
  .then((texts) => Object.assign({}, ...texts.map((each) => each.default)));
"""


@dataclass(frozen=True, slots=True)
class Journey:
    """A person with a scanner, and the texts of the page in the person's language."""

    service: Service
    browser: Chromium
    keyboard: Keyboard
    texts: dict[str, str]

    def text(self, key: str, **values: object) -> str:
        """Return a text of the page with these values; `count` chooses its form."""
        count = values.get("count")
        text = self.texts[key if count is None else f"{key}.{'one' if count == 1 else 'other'}"]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text.strip()

    def press(self, key: str, kind: str = "button", **values: object) -> None:
        """Press what has this name."""
        press(self.browser, self.text(key, **values), kind)

    def shows(self, key: str, **values: object) -> None:
        """Wait until the page shows this text."""
        self.browser.shows(self.text(key, **values))

    def choose(self, mode: str) -> None:
        """Choose a mode, and wait for its number pad."""
        self.browser.found(CHOOSE, mode)
        self.browser.until(lambda: self.browser.run("return document.querySelector('.pad')?.dataset.mode") == mode)

    def type(self, amount: str) -> None:
        """Type an amount."""
        self.keyboard.type(amount)
        self.browser.until(lambda: self.browser.run(AMOUNT) == amount)

    def has_booked(self, count: int) -> None:
        """Wait until this many bookings are booked."""
        self.browser.until(lambda: self.browser.run(BOOKED) == count)

    def has_levels(self, *levels: int) -> None:
        """Wait until the products have these levels."""
        self.browser.until(lambda: self._levels() == list(levels))

    def _levels(self) -> list[int]:
        return [each["current_level"] for each in self.service.call("GET", "/api/inventory")["data"]]


@pytest.fixture(
    params=[
        ("laptop", "en-GB"),
        pytest.param(("phone", "en-GB"), marks=pytest.mark.full_run),
        pytest.param(("laptop", "de-DE"), marks=pytest.mark.full_run),
        ("phone", "de-DE"),
    ],
    ids="-".join,
)
def begin(request: pytest.FixtureRequest, make_browser: BrowserMaker) -> Iterator[Callable[[Service], Journey]]:
    """Return a function that returns a journey, which begins at the start view of a service."""
    device, language = request.param
    browser = make_browser(language=language)
    browser.resize(*SCREENS[device], mobile=device == "phone")
    catch_printing(browser)
    await_service(browser)
    with ExitStack() as closing:

        def begun(service: Service) -> Journey:
            browser.open(service.address)
            texts = browser.found(TEXTS, language[:2])
            journey = Journey(service, browser, closing.enter_context(Keyboard(browser)), texts)
            browser.found("return document.body.dataset.view")
            return journey

        yield begun


@pytest.fixture
def journey(begin: Callable[[Service], Journey], service: Service) -> Journey:
    """Return a journey in a new shop."""
    return begin(service)


@pytest.mark.whole_chromium
def test_a_newcomer_imports_prints_books_and_finds_what_is_low(journey: Journey, tmp_path: Path) -> None:
    """The first spreadsheet by drop, a sheet of labels, ten scans, and the shelf that has to be filled."""
    browser = journey.browser
    journey.press("view.products", "link")
    journey.shows("products.empty")
    rows: list[tuple[str | float, ...]] = [(code, f"Part {code}", 12, 5) for code in CODES]
    book = workbook(tmp_path, ("SKU", "Name", "Qty", "Min"), *rows)
    drop(browser, b64encode(book.read_bytes()).decode(), book.name)
    journey.press("import.start", count=3)
    journey.shows("import.done")

    journey.press("view.labels", "link")
    control(browser, "field", journey.text("search.product"))
    for code in CODES:
        journey.keyboard.scan(code)
        browser.shows(f"Part {code}")
    journey.press("labels.print")
    browser.found("return printed.length")
    assert [code.text for code in printed_codes(browser)] == list(CODES)

    journey.press("view.scan", "link")
    journey.choose("take-out")
    for number in range(1, 11):
        journey.keyboard.scan("A-2")
        journey.has_booked(number)

    journey.press("view.stock", "link")
    browser.shows("Part A-2")
    assert "Part A-1" not in browser.run("return document.querySelector('section').innerText")
    journey.has_levels(12, 2, 12)


def test_a_shop_creates_counts_and_corrects_also_without_the_network(journey: Journey) -> None:
    """A product is created from its scan, two are counted, and what is refused or wrong is set right."""
    browser, keyboard = journey.browser, journey.keyboard
    for code, description in (("A-1", "Blue pen"), ("B-2", "Nut M8")):
        body = {"product_code": code, "description": description, "initial_level": 3}
        journey.service.call("POST", "/api/products", body)
    browser.driver.refresh()
    journey.choose("put-in")
    keyboard.scan("4006381333931")
    journey.shows("refused.no_product_matches")
    journey.press("scan.create")
    browser.until(lambda: browser.run("return document.activeElement.name") == "description")
    keys(browser, "Stapler")
    journey.press("save")
    journey.shows("scan.booked.in", amount=1)

    journey.choose("set")
    keyboard.scan("A-1")
    journey.shows("amount.level.of", product="Blue pen")
    journey.type("12")
    keyboard.scan("B-2")
    journey.shows("amount.level.of", product="Nut M8")
    journey.type("7")
    keyboard.press(Key("Enter"))
    journey.has_levels(12, 7, 1)

    journey.choose("take-out")
    browser.go_offline()
    keyboard.scan("A-1")
    keyboard.scan("A-1")
    journey.shows("bookings.waiting", count=2)
    browser.go_online()
    journey.has_levels(10, 7, 1)
    journey.type("99")
    keyboard.scan("B-2")
    journey.shows("refused.level_out_of_range.of", level=7, amount=99)
    journey.press("booking.drop")

    journey.press("scan.open", "link")
    journey.shows("product.history")
    journey.press("steps.in", amount=1)
    journey.shows("product.level-changed", change="+1", level=8)
    journey.press("change.undo.of", amount="+1", product="")
    journey.shows("change.taken-back", level=7)
    journey.has_levels(10, 7, 1)


def test_a_device_gets_its_key_tests_its_scanner_prints_at_the_kiosk_and_leaves(
    begin: Callable[[Service], Journey], make_service: ServiceMaker
) -> None:
    """The key is scanned, the scanner is fine, two labels are printed, and the next person needs the key."""
    journey = begin(make_service(api_key=KEY))
    browser, keyboard = journey.browser, journey.keyboard
    journey.shows("key.title")
    browser.found(FIELD)
    keyboard.scan(KEY)
    journey.shows("start.title")
    journey.press("view.products", "link")
    journey.shows("products.empty")
    assert browser.run(CREATE) == 201

    journey.press("view.settings", "link")
    journey.press("settings.test")
    keyboard.scan("A-1")
    journey.shows("scanner.scan")
    journey.press("close")

    browser.run("location.hash = '#kiosk?sheet=L7160'")
    journey.shows("kiosk.scan")
    keyboard.scan("A-1")
    browser.shows("Blue pen")
    journey.press("labels.more")
    journey.press("labels.print")
    journey.shows("kiosk.done")
    assert [code.text for code in printed_codes(browser)] == ["A-1", "A-1"]

    browser.open(f"{journey.service.address}/#settings")
    journey.press("settings.log-out")
    journey.shows("key.title")
