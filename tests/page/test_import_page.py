"""A spreadsheet is imported on the page: dropped or chosen, previewed first, and its wrong rows are listed."""

from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook
from selenium.webdriver.remote.webelement import WebElement

from tests.browser.chromium import Chromium
from tests.page.conftest import BrowserMaker, Findings, ServiceMaker
from tests.page.controls import choose, control, drop, hurry, press, workbook, write
from tests.page.scanning import made
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
return [...document.querySelectorAll('.wrong tr')].map((row) => [...row.cells].map((cell) => cell.innerText))
"""

IMPORT = "return document.querySelector('.import').innerText"
FIRST_LEVELS = """
const cells = [...document.querySelectorAll('.import table tbody tr:first-child td')].map((each) => each.innerText);
return cells.slice(3, 6);
"""
BROKEN_WORDS = """
return [...document.querySelectorAll('.import td bdi')].map((one) => [one.innerText, one.getClientRects().length])
  .filter(([text, lines]) => lines > 1 && !text.includes(' '));
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
WATCHES_DROPS = """
return !document.body.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true }))
"""
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


def give(browser: Chromium, path: Path) -> None:
    """Choose a file with the button."""
    field: WebElement = browser.found(
        "return [...document.querySelectorAll('input[type=file]')]"
        ".find((each) => each.parentElement.checkVisibility()) ?? null"
    )
    field.send_keys(str(path))


def products(shop: Service) -> list[tuple[str, str]]:
    """Return the codes and descriptions of the catalogue."""
    return [(each["product_code"], each["description"]) for each in shop.call("GET", "/api/products")["data"]]


def test_a_dropped_spreadsheet_is_looked_at_and_then_imported(shop: Service, browser: Chromium, tmp_path: Path) -> None:
    """On any view, but not behind a dialog. Nothing is written before a preview; its own new products can be labelled.

    The view has one main action, which is the import's while that is open.
    """
    content = b64encode(workbook(tmp_path, *ROWS).read_bytes()).decode()
    made(shop, "B-1", "Stapler")
    hurry(browser)
    browser.open(f"{shop.address}/#products")
    browser.found(WATCHES_DROPS)
    press(browser, "New product")
    drop(browser, content, "shop.xlsx")
    assert browser.run("return document.querySelector('.import') === null")
    press(browser, "Cancel")
    browser.run("location.hash = '#settings'")
    browser.shows("Language")
    drop(browser, content, "shop.xlsx")
    browser.shows("2 new products")
    browser.shows("3 rows with errors")
    assert len(products(shop)) == 1
    assert browser.run(MAIN) == ["Import 2 products"]
    press(browser, "Import 2 products")
    browser.shows("The import is complete.")
    assert browser.run(MAIN) == ["Show products"]
    made(shop, "C-1", "Made by somebody else meanwhile")
    press(browser, "Print labels")
    browser.until(lambda: browser.driver.current_url.endswith("#labels?products=2,3"))


def test_wrong_rows_are_downloaded_and_corrected(shop: Service, catalogue: Chromium, tmp_path: Path) -> None:
    """CSV of a German program in Windows-1252; what is wrong has its reason; the history names file and person.

    A guessed encoding is said, and another one redraws the text.
    """
    catalogue.run(KEEP_SAVED)
    goods = tmp_path / "goods.csv"
    goods.write_bytes("SKU;Name\r\nA-1;Карандаш простой чёрный\r\nA-2;Ручка шариковая синяя".encode("koi8-r"))
    give(catalogue, goods)
    catalogue.shows("The encoding is a guess")
    choose(catalogue, "Encoding of the text", "cp866")
    catalogue.until(lambda: "Карандаш" not in catalogue.run(IMPORT))
    file = tmp_path / "Artikel.CSV"
    file.write_bytes("SKU;Name;Qty\r\n007;Ölkanne, grün;5\r\n008;Süßes;viel\r\n4,01E+12;Tee;\r\n".encode("cp1252"))
    give(catalogue, file)
    catalogue.shows("1 new product")
    catalogue.shows("Ölkanne, grün")
    [_, wrong, damaged] = catalogue.run(WRONG)
    assert wrong == ["3", "008", "Süßes", "Stock", "viel", "is not a whole number from 0: type one such as 10"]
    assert damaged[:5] == ["4", "4,01E+12", "Tee", "Code", "4,01E+12"]
    assert damaged[5].startswith("has lost digits")
    press(catalogue, "Import 1 product")
    catalogue.shows("The import is complete.")
    [change] = shop.call("GET", "/api/inventory/1/history")["data"]
    assert (change["change_reason"], change["updated_by"]) == ("Import of Artikel.CSV", "Ann")
    press(catalogue, "Download these 2 rows")
    book = load_workbook(BytesIO(b64decode(catalogue.found("return window.saved"))))
    sheet = book.active
    assert sheet is not None
    assert [row[1].value for row in sheet.iter_rows(min_row=2)] == ["Süßes", "Tee"]
    for number, code in enumerate(("008", "009"), start=2):
        sheet.cell(number, 1, code)
        sheet.cell(number, 3, "1")
    book.save(tmp_path / "corrected.xlsx")
    give(catalogue, tmp_path / "corrected.xlsx")
    press(catalogue, "Import 2 products")
    catalogue.shows("The import is complete.")
    press(catalogue, "Show products")
    catalogue.shows("3 products")
    assert products(shop) == [("007", "Ölkanne, grün"), ("008", "Süßes"), ("009", "Tee")]


def test_columns_are_known_by_the_shop_or_asked_about(shop: Service, catalogue: Chromium, tmp_path: Path) -> None:
    """Prices are read, and can be left out; unknown columns wait for code and name.

    Headers, cells and the file's own name stay texts.
    """
    markup = "<img src=x onerror=alert(1)>"
    hostile = (("SKU", "Name", markup), (markup, markup, 1), ("\t", markup, 2))
    give(catalogue, workbook(tmp_path, *hostile, name="<b>shop<b>.xlsx"))
    catalogue.shows("<b>shop<b>.xlsx")
    catalogue.shows(markup)
    assert catalogue.run("return document.querySelectorAll('main img, main b').length") == 0
    give(catalogue, workbook(tmp_path, ("Code", "Name", "Preis"), ("A-1", "Pen", "2.99")))
    catalogue.shows("price: 2.99")
    press(catalogue, "Columns of the sheet")
    choose(catalogue, "Preis", "\u2013 not imported \u2013")
    catalogue.until(lambda: "price: 2.99" not in catalogue.run(IMPORT))
    give(catalogue, workbook(tmp_path, ("Kode", "Betegnelse", "Farve"), ("A-2", "Blue pen", "blue"), name="other.xlsx"))
    catalogue.shows("The columns of this sheet are not known.")
    choose(catalogue, "Kode", "Code")
    assert not control(catalogue, "button", "Update the preview").is_enabled()
    choose(catalogue, "Betegnelse", "Description")
    choose(catalogue, "Farve", "Detail: farve")
    press(catalogue, "Update the preview")
    catalogue.shows("farve: blue")
    press(catalogue, "Import 1 product")
    catalogue.until(lambda: ("A-2", "Blue pen") in products(shop))


def test_levels_of_a_file_are_added_once(shop: Service, catalogue: Chromium, tmp_path: Path) -> None:
    """Without the service the file is kept; the preview breaks no word, and says what was, comes and will be."""
    made(shop, "A-1", "Old pen", initial_level=40)
    catalogue.run(LOSE_IMPORT)
    catalogue.go_offline()
    catalogue.resize(1366, 768)
    pen = ("A-1", "Hexagon bolt M8 x 40", "Hardware", 12, 5, "0.35")
    give(catalogue, workbook(tmp_path, (*HEADER, "Price"), pen))
    catalogue.shows("The service cannot be reached.")
    catalogue.go_online()
    press(catalogue, "Try again")
    catalogue.shows("1 row has another stock than its product.")
    assert catalogue.run(BROKEN_WORDS) == []
    press(catalogue, "Add the number in the file", "field")
    catalogue.until(lambda: catalogue.run(FIRST_LEVELS) == ["40", "12", "52"])
    press(catalogue, "Import 1 product")
    catalogue.shows("The connection was lost")
    press(catalogue, "Try again")
    catalogue.shows("The import is complete.")
    assert shop.call("GET", "/api/inventory")["data"][0]["current_level"] == 52


def test_what_is_refused_is_said_in_the_language_of_the_person(
    shop: Service, make_browser: BrowserMaker, inaccessible: Findings, tmp_path: Path
) -> None:
    """No spreadsheet, a missing sheet, wrong rows; another sheet is read by its title. On a phone axe finds nothing."""
    file = workbook(tmp_path, HEADER, ("X-1", "Pen", "", 1, 0))
    book = load_workbook(file)
    second = book.create_sheet("Zweites")
    for row in ROWS:
        second.append(row)
    book.save(file)
    browser = make_browser(language="de-DE")
    browser.open(f"{shop.address}/#products")
    browser.shows("Noch keine Artikel.")
    browser.resize(320, 640, mobile=True)
    (tmp_path / "list.xlsx").write_bytes(b"%PDF-1.7 hello")
    give(browser, tmp_path / "list.xlsx")
    browser.shows("Diese Datei ist nicht lesbar.")
    give(browser, file)
    browser.shows("1 neuer Artikel")
    press(browser, "Spalten des Blatts")
    write(browser, "Blatt", "Drittes\t")
    browser.shows("Es gibt kein Blatt namens Drittes. Es gibt: ")
    write(browser, "Blatt", "Zweites\t")
    browser.shows("2 neue Artikel")
    assert browser.run("return document.documentElement.scrollWidth") <= 320
    press(browser, "2 Artikel importieren")
    browser.shows("Der Import ist abgeschlossen.")
    browser.shows("wiederholt den Code von Zeile 2")
    assert inaccessible(browser) == []
