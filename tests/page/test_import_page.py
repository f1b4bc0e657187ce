"""A spreadsheet is imported on the page: dropped or chosen, previewed first, and its wrong rows are listed."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from selenium.webdriver.remote.webelement import WebElement

from scripts.browser.chromium import Chromium
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.controls import choose, control, drop, press, workbook, write
from tests.served import Service

HEADER = ("SKU", "Name", "Group", "Qty", "Min")
ROWS = (
    HEADER,
    ("A-1", "Blue pen", "Office", 12, 5),
    ("A-2", "Red pen", "Office", 3, 5),
    ("", "Nobody's", "Office", 1, 0),
    ("A-1", "Blue pen again", "Office", 1, 0),
    ("A-3", "Half a pen", "Office", "0.5", 0),
)
WRONG = """
return [...document.querySelectorAll('.wrong tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))
"""

IMPORT = "return document.querySelector('.import').innerText"
FIRST_LEVELS = """
const cells = [...document.querySelectorAll('.import table tbody tr:first-child td')].map((each) => each.innerText);
return cells.slice(3, 6);
"""
LOSE_IMPORT = """
const { fetch } = window;
window.fetch = async (address, ...rest) => {
  const response = await fetch(address, ...rest);
  if (window.lost || !/import\\?(?!dry)/.test(address)) return response;
  window.lost = true;
  await response.text();
  return new Response('');
};
"""
"""Loses the response to the first import that is no dry run."""
KEEP_SAVED = """
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => {
  const reader = new FileReader();
  reader.onload = () => (window.saved = reader.result.split(',')[1]);
  reader.readAsDataURL(blob);
  return 'data:text/plain,';
};
"""
"""Keeps what the page saves as a file, in base64."""
MAIN = """
return [...document.querySelectorAll('.main')].filter((one) => one.checkVisibility()).map((one) => one.innerText)
"""


@pytest.fixture
def shop(make_service: ServiceMaker) -> Service:
    """Return a service without limits, so that a test may import as often as it needs."""
    return make_service(rate_limit="off", upload_rate_limit="off")


@pytest.fixture
def catalogue(shop: Service, browser: Chromium) -> Chromium:
    """Return a browser that shows the empty catalogue."""
    browser.open(f"{shop.address}/#products")
    browser.shows("No products yet.")
    return browser


def file_field(browser: Chromium) -> WebElement:
    """Return the field behind the visible button."""
    field: WebElement = browser.found(
        "return [...document.querySelectorAll('input[type=file]')]"
        ".find((each) => each.parentElement.checkVisibility()) ?? null"
    )
    return field


def products(shop: Service) -> list[tuple[str, str]]:
    """Return the codes and descriptions of the catalogue."""
    return [(each["product_code"], each["description"]) for each in shop.call("GET", "/api/products")["data"]]


def test_a_dropped_spreadsheet_is_looked_at_and_then_imported(
    shop: Service, catalogue: Chromium, tmp_path: Path
) -> None:
    """It may be dropped anywhere in the view; nothing is written before a preview was shown.

    The view has one main action, which is the import's while that is open.
    """
    assert catalogue.run(MAIN) == ["New product"]
    file = workbook(tmp_path, *ROWS)
    drop(catalogue, b64encode(file.read_bytes()).decode(), "shop.xlsx")
    catalogue.shows("2 new products")
    catalogue.shows("3 rows cannot be imported")
    assert products(shop) == []
    assert catalogue.run(MAIN) == ["Import 2 products"]
    press(catalogue, "Import 2 products")
    catalogue.shows("The import is complete.")
    assert catalogue.run(MAIN) == ["Show products"]
    assert products(shop) == [("A-1", "Blue pen"), ("A-2", "Red pen")]
    press(catalogue, "Show products")
    catalogue.shows("2 products")
    catalogue.shows("Red pen")
    assert catalogue.run(MAIN) == ["New product"]


def test_a_file_dropped_on_any_view_is_imported(shop: Service, browser: Chromium, tmp_path: Path) -> None:
    """The preview opens in the view of the products; afterwards its own new products' labels can be printed."""
    shop.call("POST", "/api/products", {"product_code": "B-1", "description": "Stapler"})
    browser.open(f"{shop.address}/#settings")
    browser.found("return document.querySelector('h1, .product') !== null")
    drop(browser, b64encode(workbook(tmp_path, *ROWS[:3]).read_bytes()).decode(), "shop.xlsx")
    press(browser, "Import 2 products")
    browser.shows("The import is complete.")
    shop.call("POST", "/api/products", {"product_code": "C-1", "description": "Made by somebody else meanwhile"})
    press(browser, "Print labels")
    browser.until(lambda: browser.driver.current_url.endswith("#labels?products=2,3"))


def test_an_open_dialog_takes_no_file(catalogue: Chromium, tmp_path: Path) -> None:
    """Nothing of what was typed is lost."""
    press(catalogue, "New product")
    drop(catalogue, b64encode(workbook(tmp_path, *ROWS[:3]).read_bytes()).decode(), "shop.xlsx")
    assert catalogue.run("return document.querySelector('.import') === null")


def test_csv_of_a_german_program_is_imported(shop: Service, catalogue: Chromium, tmp_path: Path) -> None:
    """With semicolons and umlauts in Windows-1252; leading zeros stay; the history names the file and the person."""
    file = tmp_path / "Artikel.CSV"
    file.write_bytes("SKU;Name;Qty\r\n007;Ölkanne, grün;5\r\n008;Süßes;viel\r\n4,01E+12;Tee;\r\n".encode("cp1252"))
    file_field(catalogue).send_keys(str(file))
    catalogue.shows("1 new product")
    catalogue.shows("Ölkanne, grün")
    [wrong, damaged] = catalogue.run(WRONG)
    assert wrong == ["3", "008", "Süßes", "Stock", "viel", "is not a whole number from 0: type one such as 10"]
    assert damaged[:5] == ["4", "4,01E+12", "Tee", "Code", "4,01E+12"]
    assert damaged[5].startswith("has lost digits in the spreadsheet.")
    press(catalogue, "Import 1 product")
    catalogue.shows("The import is complete.")
    assert products(shop) == [("007", "Ölkanne, grün")]
    [change] = shop.call("GET", "/api/inventory/1/history")["data"]
    assert (change["change_reason"], change["updated_by"]) == ("Import of Artikel.CSV", "Ann")


def test_prices_and_attributes_of_the_shop_are_read_without_a_choice(
    shop: Service, catalogue: Chromium, tmp_path: Path
) -> None:
    """The big button imports what the first rows show; a person can still leave a column out."""
    old = {"product_code": "A-0", "description": "Ink", "attributes": {"shelf": "B 4"}}
    assert shop.call("POST", "/api/products", old)["success"]
    file = workbook(tmp_path, ("Code", "Name", "Preis", "Shelf"), ("A-1", "Pen", "2.99", "B 5"))
    file_field(catalogue).send_keys(str(file))
    catalogue.shows("price: 2.99")
    catalogue.shows("shelf: B 5")
    press(catalogue, "Columns of the sheet")
    choose(catalogue, "Shelf", "\u2013 not imported \u2013")
    catalogue.until(lambda: "shelf: B 5" not in catalogue.run("return document.body.innerText"))
    press(catalogue, "Import 1 product")
    catalogue.shows("The import is complete.")
    [product] = shop.call("GET", "/api/products?search=A-1")["data"]
    assert product["attributes"] == {"price": "2.99"}


def test_columns_that_no_one_knows_are_asked_about(shop: Service, catalogue: Chromium, tmp_path: Path) -> None:
    """Each by its own header, until the code is known; the rest of the import is as usual."""
    file = workbook(tmp_path, ("Kode", "Betegnelse", "Farve"), ("A-1", "Blue pen", "blue"))
    file_field(catalogue).send_keys(str(file))
    catalogue.shows("The columns of this sheet are not known.")
    assert not control(catalogue, "button", "Update the preview").is_enabled()
    choose(catalogue, "Kode", "Code")
    choose(catalogue, "Betegnelse", "Description")
    choose(catalogue, "Farve", "Detail: farve")
    press(catalogue, "Update the preview")
    press(catalogue, "Import 1 product")
    catalogue.shows("The import is complete.")
    assert products(shop) == [("A-1", "Blue pen")]


def test_a_guessed_encoding_is_said_and_another_one_redraws_the_text(
    shop: Service, catalogue: Chromium, tmp_path: Path
) -> None:
    """The right one is imported."""
    file = tmp_path / "goods.csv"
    rows = ["SKU;Name;Qty", "A-1;Карандаш простой чёрный;5", "A-2;Ручка шариковая синяя;7"]
    file.write_bytes("\r\n".join(rows).encode("koi8-r"))
    file_field(catalogue).send_keys(str(file))
    catalogue.shows("The encoding is a guess")
    choose(catalogue, "Encoding of the text", "cp866")
    catalogue.until(lambda: "Карандаш" not in catalogue.run(IMPORT))
    choose(catalogue, "Encoding of the text", "koi8-r")
    catalogue.shows("Карандаш простой чёрный")
    press(catalogue, "Import 2 products")
    catalogue.shows("The import is complete.")
    assert products(shop)[0] == ("A-1", "Карандаш простой чёрный")


def test_levels_of_a_file_are_added_once_although_the_response_is_lost(
    shop: Service, catalogue: Chromium, tmp_path: Path
) -> None:
    """The preview says that an update leaves them, and shows what was, what comes and what will be."""
    shop.call("POST", "/api/products", {"product_code": "A-1", "description": "Old pen", "initial_level": 40})
    catalogue.run(LOSE_IMPORT)
    file_field(catalogue).send_keys(str(workbook(tmp_path, *ROWS[:2])))
    catalogue.shows("1 row has another stock than its product, which stays.")
    press(catalogue, "Add the number in the file", "field")
    catalogue.until(lambda: catalogue.run(FIRST_LEVELS) == ["40", "12", "52"])
    press(catalogue, "Import 1 product")
    catalogue.shows("The connection was lost")
    press(catalogue, "Try again")
    catalogue.shows("The import is complete.")
    assert shop.call("GET", "/api/inventory")["data"][0]["current_level"] == 52


def test_rows_with_errors_are_downloaded_corrected_and_imported(
    shop: Service, catalogue: Chromium, tmp_path: Path
) -> None:
    """The spreadsheet has only these rows, with what is wrong, and needs no choice of columns."""
    catalogue.run(KEEP_SAVED)
    file_field(catalogue).send_keys(str(workbook(tmp_path, *ROWS)))
    press(catalogue, "Download these 3 rows")
    content = catalogue.found("return window.saved")
    book = load_workbook(BytesIO(b64decode(content)))
    sheet = book.active
    assert sheet is not None
    assert [row[1].value for row in sheet.iter_rows(min_row=2)] == [row[1] for row in ROWS[3:]]
    for number, code in enumerate(("B-1", "B-2", "B-3"), start=2):
        sheet.cell(number, 1, code)
        sheet.cell(number, 4, "1")
    book.save(tmp_path / "corrected.xlsx")
    file_field(catalogue).send_keys(str(tmp_path / "corrected.xlsx"))
    press(catalogue, "Import 3 products")
    catalogue.shows("The import is complete.")
    assert [code for code, _ in products(shop)] == ["B-1", "B-2", "B-3"]


@pytest.mark.full_run
def test_another_sheet_is_read(shop: Service, catalogue: Chromium, tmp_path: Path) -> None:
    """By its title; for a missing one, the existing titles are listed."""
    file = workbook(tmp_path, *ROWS[:2])
    book = load_workbook(file)
    for row in (HEADER, ("B-1", "Bolt", "Iron", 7, 0)):
        book["Second" if "Second" in book.sheetnames else book.create_sheet("Second").title].append(row)
    book.save(file)
    file_field(catalogue).send_keys(str(file))
    catalogue.shows("1 new product")
    press(catalogue, "Columns of the sheet")
    write(catalogue, "Sheet", "Thirty\t")
    catalogue.shows("no such sheet")
    catalogue.shows("'Second'")
    write(catalogue, "Sheet", "Second\t")
    catalogue.shows("B-1")
    press(catalogue, "Import 1 product")
    catalogue.shows("The import is complete.")
    assert products(shop) == [("B-1", "Bolt")]


def test_what_is_no_spreadsheet_is_refused_in_words(catalogue: Chromium) -> None:
    """Another file can be chosen immediately."""
    drop(catalogue, b64encode(b"%PDF-1.7 hello").decode(), "shop.xlsx")
    catalogue.shows("This file cannot be read.")
    catalogue.shows("Choose another file")


@pytest.mark.full_run
def test_many_rows_show_how_far_they_are(shop: Service, catalogue: Chromium, tmp_path: Path) -> None:
    """The bar is visible while the rows are read, and all of them arrive."""
    rows = [(f"P-{number}", f"Part {number}", "", 1, 0) for number in range(4_000)]
    catalogue.run(
        "window.seen = 0; new MutationObserver(() => {"
        "  if (/[1-9][0-9,]* rows read/.test(document.querySelector('.import')?.innerText ?? '')) window.seen += 1"
        "}).observe(document.body, { subtree: true, childList: true, characterData: true })"
    )
    file_field(catalogue).send_keys(str(workbook(tmp_path, HEADER, *rows)))
    press(catalogue, "Import 4,000 products")
    catalogue.shows("4,000 imported")
    assert catalogue.run("return window.seen") > 0
    assert shop.call("GET", "/api/products?limit=1")["pagination"]["total"] == 4_000


def test_an_import_without_the_service_can_be_tried_again(catalogue: Chromium, tmp_path: Path) -> None:
    """The page keeps the file."""
    catalogue.go_offline()
    file_field(catalogue).send_keys(str(workbook(tmp_path, *ROWS[:2])))
    catalogue.shows("The service cannot be reached.")
    catalogue.go_online()
    press(catalogue, "Try again")
    catalogue.shows("1 new product")


def test_texts_of_a_file_stay_texts(catalogue: Chromium, tmp_path: Path) -> None:
    """Headers, cells and the file's own name are shown, never run."""
    markup = "<img src=x onerror=alert(1)>"
    file = workbook(tmp_path, ("SKU", "Name", markup), (markup, markup, 1), ("\t", markup, 2), name="<b>shop<b>.xlsx")
    file_field(catalogue).send_keys(str(file))
    catalogue.shows("<b>shop<b>.xlsx")
    catalogue.shows(markup)
    assert catalogue.run("return document.querySelectorAll('main img, main b').length") == 0


def test_everybody_can_import(
    shop: Service,
    make_browser: BrowserMaker,
    inaccessible: Callable[[Chromium], list[Any]],
    tmp_path: Path,
) -> None:
    """Axe finds nothing before, with the preview and after, in German and at 320 pixels."""
    browser = make_browser(language="de-DE")
    browser.open(f"{shop.address}/#products")
    browser.shows("Noch keine Artikel.")
    browser.resize(320, 640, mobile=True)
    assert inaccessible(browser) == []
    file_field(browser).send_keys(str(workbook(tmp_path, *ROWS)))
    browser.shows("2 neue Artikel")
    assert inaccessible(browser) == []
    assert browser.run("return document.documentElement.scrollWidth") <= 320
    press(browser, "2 Artikel importieren")
    browser.shows("Der Import ist abgeschlossen.")
    browser.shows("wiederholt den Code von Zeile 2")
    assert inaccessible(browser) == []
