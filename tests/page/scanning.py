"""The view Scan as a person sees it: its modes, the product, the amount, and the stock changes of the device."""

from tests.browser.chromium import Chromium
from tests.served import Service

PEN, NUT = "Blue pen", "Nut M8"
PANEL = r"return document.querySelector('.product')?.innerText.replace(/\s+/g, ' ') ?? ''"
AMOUNT = "return document.querySelector('.amount')?.value"
PURPOSE = "return document.querySelector('.pad legend')?.textContent"
LIST = "return document.querySelector('.bookings')?.innerText ?? ''"
MODE = "return document.querySelector('[name=mode]:checked')?.value"
_CHOOSE = "document.querySelector(`[name=mode][value=${arguments[0]}]`).click()"
_PAD = "return document.querySelector('.pad')?.dataset.mode ?? 'look-up'"
_STATES = "return [...document.querySelectorAll('.bookings > li')].map((row) => row.dataset.state)"


def made(service: Service, code: str, description: str = PEN, **fields: object) -> int:
    """Make a product, and return its id."""
    draft = {"product_code": code, "description": description, **fields}
    response = service.call("POST", "/api/products", draft)
    assert response["success"], response
    return int(response["data"]["id"])


def with_pens_and_nuts(service: Service) -> Service:
    """Return the service with three pens, A-1, and ten nuts, B-2."""
    made(service, "A-1", initial_level=3)
    made(service, "B-2", NUT, initial_level=10)
    return service


def level(service: Service, product: int = 1) -> int:
    """Return the level of a product."""
    found: int = service.call("GET", f"/api/inventory?product_id={product}")["data"][0]["current_level"]
    return found


def open_scan(browser: Chromium, address: str, mode: str = "put-in") -> None:
    """Open the view in a mode."""
    browser.open(f"{address}/#scan?mode={mode}")
    browser.until(lambda: browser.run(MODE) == mode)


def choose(browser: Chromium, mode: str) -> None:
    """Choose a mode, and wait for its number pad, which is loaded when it is first needed."""
    browser.run(_CHOOSE, mode)
    browser.until(lambda: browser.run(_PAD) == mode)


def shows(browser: Chromium, *texts: str) -> None:
    """Wait until the product's card has all these texts."""
    browser.until(lambda: all(text in browser.run(PANEL) for text in texts))


def lists(browser: Chromium, *states: str) -> None:
    """Wait until the stock changes of the device, newest first, have these states."""
    browser.until(lambda: browser.run(_STATES) == list(states))


def has_amount(browser: Chromium, amount: str) -> None:
    """Wait until the number pad shows this amount."""
    browser.until(lambda: browser.run(AMOUNT) == amount)


def is_for(browser: Chromium, product: str) -> None:
    """Wait until the amount is for this product."""
    browser.until(lambda: product in browser.run(PURPOSE))
