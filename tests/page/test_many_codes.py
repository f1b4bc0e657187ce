"""One product under many codes, as a person meets it: packs, another code, values inside codes, retired products.

And codes that no product has: unknown scans, and labels whose codes are claimed later.
"""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from tests.browser.chromium import Chromium
from tests.browser.keyboard import scan
from tests.browser.print_catcher import catch_printing
from tests.page.conftest import ServiceMaker
from tests.page.controls import choose, control, drop, press, write
from tests.page.printing import printed_codes
from tests.page.scanning import choose as choose_mode, level, lists, open_scan, shows, with_pens_and_nuts
from tests.page.test_kept_on_the_device import open_with_copy
from tests.served import Service

CHANGES = "return document.querySelector('.bookings')?.innerText ?? ''"
CODES = "return [...document.querySelectorAll('.codes li')].map((row) => row.innerText)"
HISTORY = "return [...document.querySelectorAll('.movement-list .list-row')].map((row) => row.innerText)"
CAN_UNDO = """
return [...document.querySelectorAll('.movement-list .list-row')].map((row) => row.querySelector('button') !== null)
"""
NO_DIALOG = "return document.querySelector('dialog') === null"
NAMES = "return [...document.querySelectorAll('.catalogue .product-link .clamped')].map((name) => name.textContent)"
UNKNOWN = "return [...document.querySelectorAll('.unknown li .code')].map((code) => code.textContent)"
COPIES = "return [...document.querySelectorAll('.copies input')].map((field) => field.value)"
TITLE = "return document.querySelector('.product-view h1')?.textContent"
BOX, NEW = "BOX-6", "A-1/2027"
CHEESE = "2012345000001"
"""The in-store code of a product without its weight."""
WEIGHED = "2012345012349"


def test_an_unknown_code_becomes_that_of_a_pack_and_an_old_label_is_found(
    service: Service, browser: Chromium, inaccessible: Callable[[Chromium], list[Any]]
) -> None:
    """What was refused is saved as a pack; the product shows its codes, and its former one is found after a change."""
    with_pens_and_nuts(service)
    open_scan(browser, service.address)
    scan(browser, BOX)
    shows(browser, "No product has this code.")
    press(browser, "This is a code of")
    control(browser, "field", "Search products")
    scan(browser, "A-1")
    browser.shows("Another product")
    write(browser, "Pieces in the pack", "6")
    assert inaccessible(browser) == []
    press(browser, "Save")
    shows(browser, "Added: 6 (1 \N{MULTIPLICATION SIGN} 6)", "pack of 6")
    assert "+6 (1 \N{MULTIPLICATION SIGN} 6)" in browser.run(CHANGES)
    assert level(service) == 9
    press(browser, "Open", "link")
    browser.until(lambda: browser.run(TITLE) == "Blue pen")
    browser.until(lambda: browser.run(CODES)[1:] == [f"{BOX} pack of 6"])
    press(browser, "Change code")
    write(browser, "Code", "B-2")
    press(browser, "Save")
    browser.shows("Nut M8 already has this code.")
    write(browser, "Code", NEW)
    press(browser, "Save")
    browser.found(NO_DIALOG)
    browser.until(lambda: browser.run(CODES)[1:] == ["A-1 former code", f"{BOX} pack of 6"])
    browser.until(lambda: f"Code changed: A-1 → {NEW}" in browser.run(HISTORY)[0])
    assert browser.run(CAN_UNDO)[:2] == [False, True]
    assert inaccessible(browser) == []
    press(browser, f"Remove {BOX}")
    press(browser, "Remove")
    browser.until(lambda: browser.run(CODES)[1:] == ["A-1 former code"])
    press(browser, "Add a code")
    write(browser, "Code", "CASE")
    write(browser, "Pieces in the pack", "24")
    write(browser, "Note", "pallet")
    press(browser, "Save")
    browser.until(lambda: "CASE pack of 24 · pallet" in browser.run(CODES))
    open_scan(browser, service.address)
    scan(browser, "A-1")
    shows(browser, "Added: 1", NEW)


def test_a_product_is_retired_warned_of_found_by_a_filter_and_sold_again(service: Service, browser: Chromium) -> None:
    """It is in no list, but a scan finds it; what has moved is deleted only once its name is typed."""
    with_pens_and_nuts(service)
    browser.open(f"{service.address}/#products/1")
    press(browser, "Retire")
    browser.shows("Blue pen is retired. Scans still find it.")
    browser.until(lambda: browser.run(NAMES) == ["Nut M8"])
    press(browser, "Add 1")
    browser.shows("Blue pen is no longer sold.")
    open_scan(browser, service.address)
    scan(browser, "A-1")
    shows(browser, "Added: 1 · no longer sold")
    browser.open(f"{service.address}/#labels?products=1")
    browser.shows("Blue pen is no longer sold.")
    browser.open(f"{service.address}/#products")
    choose(browser, "Availability", "No longer sold")
    browser.until(lambda: browser.run(NAMES) == ["Blue pen"])
    press(browser, "Blue pen", "link")
    press(browser, "Sell again")
    browser.shows("Blue pen is sold again.")
    press(browser, "Delete")
    browser.shows("Retire it instead")
    assert not control(browser, "button", "Delete").is_enabled()
    write(browser, "To confirm, type: Blue pen", "Blue pen")
    press(browser, "Delete")
    browser.shows("1 product was deleted.")


def test_labels_with_new_codes_are_printed_first_and_claimed_later(service: Service, browser: Chromium) -> None:
    """One becomes a new product, one a code of another; copies are as many as in stock, or as were added today."""
    with_pens_and_nuts(service)
    catch_printing(browser)
    browser.open(f"{service.address}/#labels")
    press(browser, "Labels with new codes")
    write(browser, "Number of labels", "3")
    press(browser, "Make codes and print")
    browser.found("return documents.size === 1")
    codes = [code.text for code in printed_codes(browser)]
    assert codes == ["P00001", "P00002", "P00003"]
    open_scan(browser, service.address, "look-up")
    scan(browser, codes[0])
    shows(browser, "No product has this code.")
    press(browser, "Create product")
    write(browser, "Description", "Lamp")
    press(browser, "Save")
    shows(browser, "Lamp")
    scan(browser, codes[1])
    shows(browser, codes[1])
    press(browser, "Unknown scans", "link")
    browser.until(lambda: browser.run(UNKNOWN)[:1] == [codes[1]])
    press(browser, "This is a code of")
    control(browser, "field", "Search products")
    scan(browser, "B-2")
    press(browser, "Save")
    browser.shows(f"{codes[1]} is now a code of Nut M8.")
    browser.until(lambda: codes[1] not in browser.run(UNKNOWN))
    assert service.call("POST", "/api/codes/decode", {"code_data": codes[1]})["data"]["product"]["id"] == 2
    service.call("POST", "/api/inventory/1/adjust", {"delta": 4})
    browser.open(f"{service.address}/#labels?products=1,2")
    press(browser, "As many as in stock")
    browser.until(lambda: browser.run(COPIES) == ["7", "10"])
    service.call("POST", "/api/inventory/2/adjust", {"delta": -1})
    press(browser, "As many as added today")
    browser.until(lambda: browser.run(COPIES) == ["7", "10"])


def test_unknown_scans_are_deleted_one_by_one_and_all(service: Service, browser: Chromium) -> None:
    """A product made for one takes it off the list; the catalogue says how many there are."""
    with_pens_and_nuts(service)
    for code in ("X-1", "X-2", "X-3", "X-4"):
        service.exchange("POST", "/api/codes/decode", {"code_data": code})
    browser.open(f"{service.address}/#products")
    press(browser, "4 unknown scans", "link")
    browser.until(lambda: len(browser.run(UNKNOWN)) == 4)
    first, second, *others = browser.run(UNKNOWN)
    press(browser, f"Remove {first}")
    browser.until(lambda: browser.run(UNKNOWN) == [second, *others])
    press(browser, "Create product")
    write(browser, "Description", "Lamp")
    press(browser, "Save")
    browser.until(lambda: browser.run(UNKNOWN) == others)
    press(browser, "Delete all")
    browser.shows("Delete 2 unknown scans?")
    press(browser, "Delete all")
    browser.shows("There are no unknown scans.")


def test_the_weight_in_a_code_is_shown_and_counted_if_wanted(make_service: ServiceMaker, browser: Chromium) -> None:
    """Once that is chosen, other codes still count as one."""
    service = with_pens_and_nuts(make_service(in_store_codes="20IIIIIWWWWWC:3"))
    service.call("POST", "/api/products", {"product_code": CHEESE, "description": "Cheese"})
    open_scan(browser, service.address)
    scan(browser, WEIGHED)
    shows(browser, "Added: 1", "weight 1.234")
    press(browser, "Undo")
    lists(browser, "undone")
    press(browser, "Use the weight or count", "field")
    scan(browser, WEIGHED)
    shows(browser, "Added: 1,234", "weight 1.234")
    scan(browser, "B-2")
    shows(browser, "Added: 1", "Nut M8")
    choose_mode(browser, "take-out")
    scan(browser, WEIGHED)
    shows(browser, "Removed: 1,234")
    assert [level(service, product) for product in (2, 3)] == [11, 0]


def test_a_new_product_gets_a_code_and_so_do_rows_of_an_import(service: Service, browser: Chromium) -> None:
    """A code is made at a press; rows without one are refused until codes are to be made."""
    with_pens_and_nuts(service)
    browser.open(f"{service.address}/#products")
    press(browser, "New product")
    press(browser, "Make a code")
    browser.until(lambda: control(browser, "field", "Code").get_attribute("value") == "P00001")
    write(browser, "Description", "Lamp")
    press(browser, "Save")
    browser.until(lambda: browser.run(TITLE) == "Lamp")
    drop(browser, b64encode(b"Code,Name\nX-1,Ruler\n,Tape\n").decode(), "list.csv")
    browser.shows("1 row with errors")
    press(browser, "Make codes for rows without one", "field")
    press(browser, "Import 2 products")
    browser.shows("The import is complete.")
    found = service.call("GET", "/api/products?search=Tape")["data"]
    assert [each["product_code"] for each in found] == ["P00002"]


def test_a_pack_that_is_scanned_without_the_service_says_its_pieces(service: Service, browser: Chromium) -> None:
    """The copy of the catalogue knows the code; once the service is back, as many are counted."""
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen", "initial_level": 10})
    service.call("POST", "/api/products/1/codes", {"code": BOX, "pack_quantity": 6})
    open_with_copy(browser, service)
    open_scan(browser, service.address)
    service.kill()
    scan(browser, BOX)
    shows(browser, "Waiting", "Blue pen", "pack of 6", "16")
    assert "+6 (1 \N{MULTIPLICATION SIGN} 6)" in browser.run(CHANGES)
    service.start()
    lists(browser, "booked")
    assert level(service) == 16
