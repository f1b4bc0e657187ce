"""The page in German: common English messages of the service appear in German."""

from __future__ import annotations

import pytest

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import scan
from tests.page.conftest import BrowserMaker
from tests.page.controls import press, write
from tests.served import Service

PROBLEM = "return document.querySelector('dialog .problem').innerText"


@pytest.fixture
def german(service: Service, make_browser: BrowserMaker) -> Chromium:
    """Return a browser in German on the list of a shop with one product."""
    service.call("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen", "initial_level": 10})
    browser = make_browser(language="de-DE")
    browser.open(f"{service.address}/#products")
    browser.shows("Blue pen")
    return browser


@pytest.mark.full_run
def test_the_level_with_which_a_product_begins_has_a_german_reason(service: Service, german: Chromium) -> None:
    """In the history of the product, and in the list of bookings."""
    german.run("location.hash = '#products/1'")
    german.shows("Anfangsbestand")
    german.open(f"{service.address}/#scan")
    german.shows("Bereit")
    scan(german, "A-1")
    german.shows("Anfangsbestand")


def test_the_form_of_a_product_says_in_german_what_is_wrong(german: Chromium) -> None:
    """Wrong characters, a missing value, wrong numbers, one below its minimum, and a code that another product has."""
    press(german, "Neuer Artikel")
    german.run("document.querySelector('dialog [name=product_code]').value = 'Ä-1'")
    write(german, "Mindestbestand", "viel")
    press(german, "Speichern")
    code = "Code enthält Zeichen, die hier nicht erlaubt sind"
    wrong = f"{code} · Bezeichnung fehlt · Mindestbestand ist keine ganze Zahl ab 0: geben Sie eine wie 10 ein"
    german.until(lambda: german.run(PROBLEM) == wrong)
    german.run("document.querySelector('dialog [name=product_code]').value = 'A-1'")
    german.run("document.querySelector('dialog [name=minimum_level]').value = '99999999999999999'")
    press(german, "Speichern")
    german.until(lambda: "Mindestbestand ist zu groß" in german.run(PROBLEM))
    write(german, "Bezeichnung", "Stift")
    write(german, "Mindestbestand", "5")
    write(german, "Höchstbestand", "4")
    press(german, "Speichern")
    german.until(lambda: german.run(PROBLEM) == "Höchstbestand: der Höchstbestand liegt unter dem Mindestbestand")
    write(german, "Höchstbestand", "6")
    press(german, "Speichern")
    german.until(lambda: german.run(PROBLEM) == "Diesen Code hat schon ein anderer Artikel.")
