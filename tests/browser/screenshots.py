"""Take the screenshots of the documentation: a Chromium shows the page of a running service.

`python -m tests.browser.screenshots FOLDER` writes a picture of each of VIEWS.
Letters differ from one machine to the next, so no test compares these pictures.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from tests.browser.chromium import Chromium, started
from tests.browser.kept_settings import keep_settings
from tests.browser.keyboard import scan
from tests.served import Service

PRODUCTS = (
    ("9521234543213", "Oat biscuits 300 g", "Food", 117, 40),
    ("09521112", "Mineral water 1 l", "Drinks", 36, 48),
    ("BOLT-M8x40", "Hexagon bolt M8 x 40, zinc plated", "Hardware", 480, 100),
    ("paint.blue", "Blue paint 5 l", "Hardware", 8, 10),
)
COLOURS = 128
_PRESS_FIFTH = """
document.querySelector("[data-position='5']").dispatchEvent(new MouseEvent("click", { bubbles: true }));
"""
PHONE = (390, 844)
LAPTOP = (1366, 768)
TALL = (1366, 1040)
KIOSK = (1024, 600)
_DELIVERY = """SKU,Name,Group,Qty,Min,Price
9521234543213,Oat biscuits 300 g,Food,24,40,2.49
09521112,Mineral water 1 l,Drinks,120,48,0.89
4006381333931,Highlighter,Office,30,10,1.95
BOLT-M8x40,"Hexagon bolt M8 x 40, zinc plated",Hardware,200,100,0.35
"""
_DROP = """
const transfer = new DataTransfer();
transfer.items.add(new File([arguments[0]], "delivery.csv"));
document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
"""


def _stock(service: Service) -> None:
    for code, description, category, level, least in PRODUCTS:
        draft = {"product_code": code, "description": description, "category": category}
        service.call("POST", "/api/products", draft | {"initial_level": level, "minimum_level": least})
    for delta in (-3, -2, 24, -6, -1):
        service.call("POST", "/api/inventory/1/adjust", {"delta": delta, "change_reason": "sold", "updated_by": "Ann"})


def _scan(browser: Chromium) -> None:
    browser.run("document.querySelector('input[value=take-out]').click()")
    for code in ("BOLT-M8x40", "09521112", "9521234543213"):
        scan(browser, code)
        browser.shows(next(text for known, text, *_ in PRODUCTS if known == code))
    browser.found("return document.querySelectorAll('.changes li').length > 2")


def _choose_labels(browser: Chromium) -> None:
    for code in ("9521234543213", "BOLT-M8x40"):
        scan(browser, code)
        browser.shows(next(text for known, text, *_ in PRODUCTS if known == code))
    browser.run(_PRESS_FIFTH)
    browser.found("return document.querySelector('main img')?.complete")


def _see_history(browser: Chromium) -> None:
    browser.found("return document.querySelectorAll('tbody tr').length > 3")


def _see_movements(browser: Chromium) -> None:
    browser.shows("Blue paint 5 l")
    browser.shows("sold")


def _preview_delivery(browser: Chromium) -> None:
    browser.run(_DROP, _DELIVERY)
    browser.shows("Products that already exist")
    browser.run("document.querySelector('input[value=receive]').click()")
    browser.found("return document.querySelectorAll('.import table tbody tr').length > 3")


def _scan_at_kiosk(browser: Chromium) -> None:
    scan(browser, "9521234543213")
    browser.shows("Oat biscuits 300 g")
    browser.found("return document.querySelector('main img')?.complete")


VIEWS: tuple[tuple[str, str, tuple[int, int], str, Callable[[Chromium], None]], ...] = (
    ("page-scan", "scan", PHONE, "light", _scan),
    ("page-labels", "labels", LAPTOP, "light", _choose_labels),
    ("page-product", "products/1", LAPTOP, "dark", _see_history),
    ("page-stock", "stock", LAPTOP, "light", _see_movements),
    ("page-import", "products", TALL, "light", _preview_delivery),
    ("page-kiosk", "kiosk?sheet=50x30mm", KIOSK, "light", _scan_at_kiosk),
)


def take(folder: Path) -> None:
    """Run the service on a throw-away database and write every screenshot into a folder."""
    with tempfile.TemporaryDirectory() as temporary:
        service = Service(Path(temporary))
        browser = started(Path(temporary) / "browser")
        try:
            _stock(service)
            keep_settings(browser, author="Ann")
            for name, view, size, scheme, act in VIEWS:
                browser.resize(*size, mobile=size == PHONE)
                browser.prefer(color_scheme=scheme)
                browser.open("about:blank")
                browser.open(f"{service.address}/#{view}")
                browser.found("return document.body.dataset.view")
                act(browser)
                browser.save_screenshot(folder / f"{name}.png")
                _shrink(folder / f"{name}.png")
        finally:
            browser.close()
            service.kill()


def _shrink(path: Path) -> None:
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    take(Path(sys.argv[1]))
