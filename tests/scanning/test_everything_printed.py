"""Every scan of anything the service prints finds its product: the whole registry, including add-ons.

A product code is printed and read by zxing-cpp, which does not draw the bars of these symbols alone. Then it is scanned
through the picture, through the text with and without its symbology identifier (ISO/IEC 15424), and as changed by
usual settings of scanners. Each scan finds the product, or is an exception with a reason.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from io import BytesIO

import pytest
import zxingcpp
from hypothesis import assume, given, strategies as st
from PIL import Image

from barcodesvc.codes.layout import normal_width
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.errors import InvalidContent
from barcodesvc.gs1.element_strings import FNC1
from barcodesvc.gs1.gtin import check_digit, gtin14, with_check_digit
from barcodesvc.in_store_patterns import in_store_patterns, price_check_digit
from barcodesvc.numbers.check_digits import luhn_digit, modulo_11_character
from barcodesvc.numbers.upce import expanded, suppressed
from barcodesvc.numbers.words import without_word
from barcodesvc.scanning.candidates import Match
from barcodesvc.scanning.images.pixels import grey_pixels
from barcodesvc.scanning.parsed_scan import ParsedScan
from barcodesvc.symbols.modules import Bars
from barcodesvc.symbols.registry import SYMBOLOGIES, find_symbology
from tests.properties import examples
from tests.scanning.catalogue import Catalogue
from tests.scanning.pictures.drawn_codes import codes_on
from tests.scanning.symbol_images import file_of, symbol
from tests.sweeps import sweep
from tests.symbols.contents import ASCII, CODE39, digits, text, with_add_on

NAMES = sorted(symbology.name for symbology in SYMBOLOGIES)
SHORTEST_IN_PICTURES = {"ITF": 6, "CODABAR": 2}
"""Length below which zxing-cpp treats a symbol as noise; the letters of Codabar do not count."""
NOT_IN_PICTURES = {
    "MSI": "zxing-cpp does not read it",
    "PHARMACODE": "as MSI",
    "EAN2": "zxing-cpp reads add-ons only next to a symbol",
    "EAN5": "as EAN2",
}
MOST_PIXELS = 1_000_000
"""Pixels of a picture that is read: larger ones take seconds each."""
LEAST_MODULES = {"DATABARSTACKED": 2, "DATABARSTACKEDOMNI": 2, "MICROPDF417": 2}
"""Pixels of a module below which noise shows such symbols too, or zxing-cpp misses a fifth of them (MicroPDF417)."""
OWNER = "the product of a further code"
IN_STORE = "21IIIIIPPPPPC:2,20IIIIIWWWWWC:3,28IIIINNNNNNC,23IIIIVPPPPPC:2,2IIIIIVPPPPC:2,20IIPPPC"
PATTERNS = in_store_patterns(IN_STORE)
Scan = tuple[str, str]
"""The text sent, and its hint."""


def written(numbers: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Build numbers, both plain and with hyphens and spaces anywhere inside."""
    gaps = st.lists(st.sampled_from(["", "", "-", " ", "- "]), min_size=12, max_size=12)
    return numbers | st.tuples(numbers, gaps).map(lambda both: _interleaved(*both))


def _interleaved(number: str, gaps: list[str]) -> str:
    return "".join(gap + digit for gap, digit in zip(["", *gaps], number, strict=False))


def gtins(*lengths: int, prefix: str = "") -> st.SearchStrategy[str]:
    """Build GTINs of these lengths with and without their check digit."""
    bodies = st.sampled_from(lengths).flatmap(lambda length: digits(length - 1 - len(prefix))).map(prefix.__add__)
    return bodies | bodies.map(with_check_digit)


def spelt(numbers: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Build GTINs; those with their check digit also in groups, and after a word."""
    whole = numbers.filter(gtin14)
    return numbers | written(whole) | st.tuples(st.sampled_from(["EAN ", "GTIN-13: ", "UPC-A "]), whole).map("".join)


def modulo_11(length: int) -> st.SearchStrategy[str]:
    """Build ISBN-10 or ISSN with and without their check characters."""
    return digits(length - 1) | digits(length - 1).map(lambda body: body + modulo_11_character(body))


def elements(most: int) -> st.SearchStrategy[str]:
    """Build element strings in brackets, also with spaces, and raw where they need no separator."""
    value = text("ABCabc019-/<>GS", 1, 8)
    element = st.one_of(
        gtins(14).filter(gtin14).map(lambda gtin: ("01", gtin.zfill(14))),
        digits(17).map(lambda body: ("00", with_check_digit(body))),
        st.sampled_from([("17", "271231"), ("15", "270100"), ("3103", "001250"), ("37", "12")]),
        st.tuples(st.sampled_from(["10", "21", "240", "420", "400", "90", "98"]), value | digits(5) | digits(6)),
        st.tuples(st.just("8004"), digits(6)),
    )
    strings = st.lists(element, min_size=1, max_size=3, unique_by=lambda pair: pair[0])
    looks = st.sampled_from(["({}){}", "({}) {} ", "( {}"])
    bracketed = st.tuples(strings, looks).map(lambda both: "".join(both[1].format(*pair) for pair in both[0]).strip())
    raw = strings.filter(lambda pairs: all(ai in {"01", "00", "17", "15", "3103"} for ai, _ in pairs[:-1]))
    return (bracketed | raw.map(lambda pairs: "".join(map("".join, pairs)))).filter(lambda code: len(code) <= most)


def upce(six: str) -> tuple[str, ...]:
    """Return the notations of a UPC-E number of six digits, including those of its UPC-A."""
    upcas = {system: expanded(system + six) for system in "01"}
    short = [system + six for system in upcas]
    whole = [system + six + check_digit(upca) for system, upca in upcas.items()]
    return six, *short, *whole, *upcas.values(), *map(with_check_digit, upcas.values())


BOOK, UPCA = gtins(13, prefix="978") | gtins(13, prefix="979"), spelt(gtins(12))
DATABAR = spelt(gtins(14)) | gtins(14).map("(01){}".format)
LIMITED = gtins(14, prefix="0") | gtins(14, prefix="1").map("(01){}".format)
CODES = {
    "CODE128": text(ASCII) | text("0123456789-A") | text("]CEQd013(){}<GS>|\\0A"),
    "CODE128A": text(ASCII[:64]),
    "CODE128B": text(ASCII),
    "CODE128C": st.integers(1, 32).flatmap(lambda pairs: digits(2 * pairs)),
    "CODE39": text(CODE39),
    "CODE93": text(CODE39),
    "EAN13": with_add_on(spelt(gtins(13) | gtins(12))),
    "EAN8": spelt(gtins(8)),
    "EAN5": digits(5),
    "EAN2": digits(2),
    "UPCA": with_add_on(UPCA),
    "UPCE": with_add_on(digits(6).flatmap(lambda six: st.sampled_from(upce(six)))),
    "JAN": with_add_on(gtins(13, prefix="49") | gtins(13, prefix="45")),
    "ISBN13": with_add_on(written(BOOK) | written(BOOK).map("ISBN-13: {}".format)),
    "ISBN10": with_add_on(written(modulo_11(10)) | written(modulo_11(10)).map(str.lower)),
    "ISSN": with_add_on(written(modulo_11(8)) | modulo_11(8).map(str.lower) | modulo_11(8).map("ISSN {}".format)),
    "ITF": st.integers(1, 32).flatmap(lambda pairs: digits(2 * pairs)),
    "ITF14": spelt(gtins(14) | gtins(13)),
    "CODABAR": text("0123456789-$:/.+", 1, 62)
    | st.builds("{}{}{}".format, st.sampled_from("ABCDabcd"), text("0123456789-$", 1, 20), st.sampled_from("ABCDabcd")),
    "MSI": text("0123456789") | digits(12),
    "PHARMACODE": st.integers(3, 131070).map(str),
    "PZN": st.builds(
        "{}{}".format, st.sampled_from(["", "-", "PZN", "PZN-", "PZN ", "PZN: ", "pzn - ", "- "]), digits(7) | digits(8)
    ),
    "GS1-128": elements(60),
    "DATABAROMNI": DATABAR,
    "DATABARSTACKED": DATABAR,
    "DATABARSTACKEDOMNI": DATABAR,
    "DATABARLIMITED": LIMITED,
    "DATABAREXPANDED": elements(45),
    "DATABAREXPANDEDSTACKED": elements(45),
    "QR": text(ASCII),
    "MICROQR": text("0123456789", 1, 36) | text(ASCII, 1, 15),
    "RMQR": text(ASCII),
    "GS1QR": elements(60),
    "DATAMATRIX": text(ASCII),
    "GS1DATAMATRIX": elements(60),
    "AZTEC": text(ASCII),
    "PDF417": text(ASCII),
    "MICROPDF417": text(ASCII),
}

EAN_UPC = {"EAN13", "UPCA", "UPCE", "JAN", "ISBN13", "ISBN10", "ISSN"}
GTIN_IN_GS1 = {"DATABAROMNI", "DATABARSTACKED", "DATABARSTACKEDOMNI", "DATABARLIMITED"}
GS1 = {"GS1-128", "GS1QR", "GS1DATAMATRIX", "DATABAREXPANDED", "DATABAREXPANDEDSTACKED"}
IDENTIFIERS = {"EAN5": "]E2", "EAN2": "]E1", "MSI": "]M0", "PHARMACODE": "]X0"}
SHORTEST_CODABAR = 6
LITERALLY = {Match.EXACT, Match.AIM}
"""The rules by which a text is literally a product code, whatever was printed."""


def is_legal(name: str, code: str) -> bool:
    """Return whether the service accepts a product with this code, and prints it in this symbology."""
    if code != code.strip() or not 0 < len(code) <= 64:
        return False
    try:
        find_symbology(name).encode(code)
    except InvalidContent:
        return False
    return True


def becomes_another_gtin(name: str, code: str) -> bool:
    """Return whether the code is a GTIN, and printing makes a longer GTIN of it: the number of another trade item."""
    lengths = {"EAN13": 13, "JAN": 13, "ISBN13": 13, "ITF14": 14} | dict.fromkeys(GTIN_IN_GS1, 14)
    number = code.partition("+")[0].removeprefix("(01)")
    if name == "ISBN13":
        number = re.sub("[- ]", "", without_word(number, "ISBN"))
    return gtin14(number) is not None and len(number) == lengths.get(name, 0) - 1


def printed(data: st.DataObject, name: str) -> str:
    """Draw a code that can be printed, and whose symbol holds the same number."""
    code = data.draw(CODES[name].filter(partial(is_legal, name)))
    assume(not becomes_another_gtin(name, code) and not is_all_zeros(code))
    return code


def is_all_zeros(code: str) -> bool:
    """Return whether a code consists of zeros, which is not a GTIN (GS1 General Specifications 3)."""
    return not without_word(code.partition("+")[0], "ISBN", "ISSN").removeprefix("(01)").strip("0 -")


def read_by_another(name: str, code: str) -> tuple[str, str]:
    """Return symbology identifier and text of the symbol, as a reader sends them."""
    if name in NOT_IN_PICTURES:
        return IDENTIFIERS[name], code + luhn_digit(code) if name == "MSI" else code
    formats = zxingcpp.BarcodeFormat.Code39Std if name == "CODE39" else zxingcpp.BarcodeFormat.AllReadable
    found = zxingcpp.read_barcodes(
        symbol(name, code, 3, 60),
        formats=zxingcpp.BarcodeFormats(formats),
        text_mode=zxingcpp.TextMode.Plain,
        ean_add_on_symbol=zxingcpp.EanAddOnSymbol.Read,
    )
    assume(found)
    return found[0].symbology_identifier, found[0].text


def siblings(name: str, code: str) -> Iterator[str]:
    """Yield codes of other products that have something in common with this code's symbol."""
    yield code.swapcase()
    _, sent = read_by_another(name, code)
    if name in EAN_UPC:
        yield from siblings_of_ean_upc(sent)
    elif name in GS1 | GTIN_IN_GS1:
        yield sent.replace(FNC1, "")
        if code.startswith("("):  # a raw string comes after the GTIN in it, if an identifier says GS1
            yield from (element[2:16] for element in re.findall("01[0-9]{14}", sent) if gtin14(element[2:16]))
    elif name == "CODABAR":
        yield from (sent[1:-1], sent, f"C{sent[1:-1]}D" if sent[0] + sent[-1] != "CD" else f"A{sent[1:-1]}B")
    elif name in {"CODE39", "ITF", "MSI", "EAN8", "ITF14", "PZN"}:
        yield from (sent, sent[:-1], f"{sent}0", re.sub(r"\+([A-Z])", lambda pair: pair[1].lower(), sent))
    digits_read = re.sub("[^0-9]", "", sent)
    if gtin14(digits_read[:8]) and len(digits_read) != 8:
        yield digits_read[:8].zfill(13)


def siblings_of_ean_upc(sent: str) -> Iterator[str]:
    """Yield the title and other issues, and numbers that begin with the same digits or share its notation."""
    number, add_on = sent[:13], sent[13:]
    yield from (f"{number}+{other}" for other in ("05", "51299") if other != add_on)
    if add_on:
        yield number
    short = suppressed(number[1:12]) if number.startswith("0") else None
    if short and gtin14(short + number[12]):
        yield f"00000{short}{number[12]}"
    if number.startswith("00000") and gtin14(number[5:]):
        yield from (with_check_digit(expanded(number[5:12])) for system in "01" if number[5] == system)


def is_another(name: str, other: str, code: str) -> bool:
    """Return whether another product may have this code, with a different symbol."""
    if other == code or not is_legal("CODE128", other):
        return False
    return not is_legal(name, other) or bars(name, other) != bars(name, code)


def bars(name: str, code: str) -> object:
    """Return the modules of a symbol without the text below it."""
    encoded = find_symbology(name).encode(code)
    return encoded.runs if isinstance(encoded, Bars) else encoded


def has_add_on(text: str) -> bool:
    """Return whether a scan of a symbol with an add-on includes it, judging by its length."""
    return " " in text or len(re.sub("[^0-9]", "", text.removeprefix("]E0").removeprefix("]E3"))) > len("4006381333931")


def texts_sent(name: str, code: str) -> Iterator[Scan]:
    """Yield what scanners send for the symbol, with their usual settings; exceptions are here with their reasons."""
    identifier, sent = read_by_another(name, code)
    yield identifier + sent, ""
    yield f"{identifier}{sent}\r\n", "wrong"
    if name in EAN_UPC:
        yield from texts_of_ean_upc(name, sent)
    elif name in GS1 | GTIN_IN_GS1:
        yield from texts_of_gs1(identifier, sent)
    elif name == "CODABAR":
        yield from texts_of_codabar(sent)
    elif name == "MSI":
        yield "]M1" + sent[:-1], ""
        yield sent[:-1], ""
        yield sent, "MSI"  # one number in ten has a valid check digit, so none is removed without hint or identifier
    else:
        yield sent, ""
    if name == "CODE39" and not re.search("[$%/][A-Z]", code):  # such pairs have another meaning as well
        yield "]A4" + re.sub(r"\+([A-Z])", lambda pair: pair[1].lower(), sent), ""
    if name == "EAN8":
        yield identifier + sent[:-1], ""
    if name == "ITF14" and gtin14(sent[:-1]) is None:  # 13 digits that are a GTIN themselves are another one
        yield "]I3" + sent[:-1], ""


def texts_of_ean_upc(name: str, sent: str) -> Iterator[Scan]:
    """Yield all digits, those of a UPC-A or UPC-E alone, without the check digit, and add-ons separately."""
    number, add_on = sent[:13], sent[13:]
    forms = [number, number[1:]] if number.startswith("0") else [number]
    for form in forms:
        yield form, ""
        yield f"]E0{form}", ""
    if gtin14(number[:-1]) is None:  # 12 digits that are a UPC-A themselves are that one
        yield f"]E0{number[:-1]}", ""
    if add_on:
        for form in forms:
            yield f"{form} {add_on}", ""
            yield f"]E3{form}{add_on}", ""
            yield f"{form}{add_on}", "EAN13"
            yield f"{form}{add_on}", ""
    short = suppressed(number[1:12]) if name == "UPCE" else None
    if short:
        yield from texts_of_upce(short, number[12], add_on)


def texts_of_upce(short: str, check: str, add_on: str) -> Iterator[Scan]:
    """Yield the digits of a UPC-E symbol that a scanner does not expand."""
    yield f"]E0{short}{check}", ""
    yield short + check, "UPCE"
    yield short, "UPCE"
    if short.startswith("0"):
        yield short[1:], "UPCE"
        yield short[1:] + check, "UPCE"
    if gtin14(short + check) is None:  # else it is a GTIN-8, unless a hint says otherwise
        yield short + check, ""
    if add_on:
        yield f"{short}{check} {add_on}", ""


def texts_of_gs1(identifier: str, sent: str) -> Iterator[Scan]:
    """Yield the element string with separators as keyboards type them, and without an identifier."""
    for separator in ("{GS}", "^]", "|", "<GS>"):
        if "<GS>" not in sent:  # if it is data as well, the two cannot be distinguished
            yield identifier + sent.replace(FNC1, separator), ""
    yield FNC1 + sent, ""
    if FNC1 in sent or not (sent.isdigit() and len(sent) in {8, 12, 13, 14}):  # digits of a GTIN's length are not AIs
        yield sent, ""


def texts_of_codabar(sent: str) -> Iterator[Scan]:
    """Yield the number with its start and stop letters and without."""
    for form in (sent, sent[1:-1], sent.lower()):
        yield f"]F0{form}", ""
        yield form, "Codabar"
    if len(sent) - 2 >= SHORTEST_CODABAR:  # a short one may as well be a part number, such as A4711C
        yield sent, ""
        yield sent[1:-1], ""


def test_every_symbology_is_held() -> None:
    """No symbology can be added unless its scans are found."""
    assert sorted(CODES) == NAMES


@pytest.mark.parametrize("name", NAMES)
@examples(40, derandomize=True)
@given(data=st.data())
def test_whatever_is_printed_is_found_by_any_scan(name: str, data: st.DataObject) -> None:
    """The product is found by each text that scanners send for its symbol, and by the same rule as a further code."""
    code = printed(data, name)
    scans = list(texts_sent(name, code))
    found = [Catalogue([code]).find(*scan) for scan in scans]
    assert [scan for scan, one in zip(scans, found, strict=True) if one is None] == []
    shop = Catalogue([OWNER], further=[(code, OWNER)])
    assert [shop.find(*scan) for scan in scans] == [(one[0], OWNER) for one in found if one]


@pytest.mark.parametrize("name", NAMES)
@examples(40, derandomize=True)
@given(data=st.data())
def test_no_scan_finds_a_sibling_of_what_is_printed(name: str, data: st.DataObject) -> None:
    """With all siblings stored, each text finds the product, or none of several, or the code that it literally is."""
    code = printed(data, name)
    assume(name not in {"RMQR", "MICROQR"} or read_by_another(name, code)[1] == code)  # some are mistaken for others
    scans = [scan for scan in texts_sent(name, code) if "+" not in code or name not in EAN_UPC or has_add_on(scan[0])]
    others = [other for other in dict.fromkeys(siblings(name, code)) if is_another(name, other, code)]
    shop = Catalogue([code, *others])
    fitting = [(scan, *shop.fitting(*scan)) for scan in scans]
    assert [fits for fits in fitting if fits[1] not in LITERALLY and code not in fits[2]] == [], others


def filled(form: str, item: str, value: str, check_of_value: str) -> str:
    """Return the digits of a pattern with these of its item, its value, and its value's check digit."""
    parts = {"I": iter(item), "V": iter(check_of_value), **dict.fromkeys("PWN", iter(value))}
    return "".join(next(parts[one]) if one in parts else one for one in form.rstrip("C"))


def drawn(data: st.DataObject, name: str, code: str) -> Image.Image:
    """Draw a picture of the symbol at any legal height and width, low ones in every second example."""
    height = data.draw(st.integers(10, 100) | st.integers(10, 2000), "height")
    symbology, least = find_symbology(name), LEAST_MODULES.get(name, 1)
    narrowest = least * symbology.encode(code).width
    width = data.draw(st.integers(least, 10) | st.integers(max(110, narrowest), 3000), "width")
    key = BarcodeKey(symbology, code, normal_width(width), height, with_text=data.draw(st.booleans(), "text"))
    picture = Image.open(BytesIO(key.render().png)).convert("L")
    assume(picture.width * picture.height <= MOST_PIXELS)
    return picture


@pytest.mark.parametrize("name", sorted(set(NAMES) - NOT_IN_PICTURES.keys()))
@examples(20, derandomize=True)
@given(data=st.data())
def test_whatever_is_printed_is_found_by_its_picture(name: str, data: st.DataObject) -> None:
    """The product is found, and no other, by the text read from the picture of its symbol, with its siblings stored."""
    code = printed(data, name)
    assume(len(code.strip("ABCDabcd")) >= SHORTEST_IN_PICTURES.get(name, 1))
    title = code.partition("+")[0]
    others = [f"{title}+05", f"{title}+51299", title] if name in EAN_UPC else []
    others = [other for other in others if other != code]
    seen = codes_on(grey_pixels(file_of(drawn(data, name, code))))
    for shop, product in ((Catalogue([code, *others]), code), (Catalogue([OWNER], further=[(code, OWNER)]), OWNER)):
        found = [shop.find(one.text, symbology=one.symbology) for one in seen]
        assert {one and one[1] for one in found} == {product}


@pytest.mark.parametrize("stored", ["as the number with zeros", "as the digits before the value"])
@sweep("pattern", IN_STORE.split(","))
@examples(20, derandomize=True)
@given(data=st.data())
def test_a_number_with_a_value_finds_its_item(stored: str, pattern: str, data: st.DataObject) -> None:
    """Each text that scanners send for its symbol does, as an own code and as a further one, and says the value."""
    form, _, decimals = pattern.partition(":")
    letter = next(one for one in "PWN" if one in form)
    item, value = data.draw(digits(form.count("I"))), data.draw(digits(form.count(letter)))
    assume(value.strip("0"))
    number = with_check_digit(filled(form, item, value, price_check_digit(value)))
    code = with_check_digit(filled(form, item, "0" * len(value), "0"))
    if stored == "as the digits before the value":
        code = form[: form.index("I")] + item
    said = f"{Decimal(int(value)).scaleb(-int(decimals or 0)):f}"
    shops = [Catalogue([code], patterns=PATTERNS), Catalogue([OWNER], [(code, OWNER)], PATTERNS)]
    for sent, _ in texts_sent({13: "EAN13", 12: "UPCA", 8: "EAN8"}[len(form)], number):
        if gtin14(re.sub("^]E[04]|[^0-9]", "", sent)) is None:
            continue  # the scanner has left out the check digit
        assert [shop.find(sent) for shop in shops] == [(Match.IN_STORE, code), (Match.IN_STORE, OWNER)]
        in_store = ParsedScan(sent, patterns=PATTERNS).in_store
        assert in_store and (in_store.embedded.units, in_store.embedded.value) == (int(value), said)  # noqa: PT018


@pytest.mark.parametrize("name", ["EAN13", "ITF14", "DATABAROMNI"])
@examples(60, derandomize=True)
@given(data=st.data())
def test_a_gtin_printed_as_a_longer_one_is_never_found(name: str, data: st.DataObject) -> None:
    """Its symbol contains the number of another trade item, which must not lead to this one; printing warns of it."""
    code = with_check_digit(data.draw(digits(11 if name == "EAN13" else 12)))
    assume(not is_all_zeros(code))
    assert [scan for scan in texts_sent(name, code) if Catalogue([code]).find(*scan)] == []
