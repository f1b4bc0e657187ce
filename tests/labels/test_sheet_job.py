from dataclasses import replace

import pytest

from barcodesvc.errors import InvalidInput
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import find_symbology
from tests.labels.sheet_jobs import CODE128, job_of, lines_of, sheet_job


def test_labels_keep_their_order() -> None:
    """Labels are in the order of the codes, with the requested copies, over all pages."""
    codes = [f"C{number % 7}" for number in range(100)]
    assert " ".join(lines_of(sheet_job(*codes).run())).split() == codes


def test_a_symbol_is_encoded_once_per_code() -> None:
    """However often a code is printed, its symbol is encoded once."""
    encoded: list[str] = []

    def encode(content: str) -> Symbol:
        encoded.append(content)
        return CODE128.encode(content)

    sheet_job(*["B", "A", "B"] * 500, symbology=replace(CODE128, encode=encode)).run()
    assert encoded == ["B", "A"]


def test_codes_that_cannot_be_printed_are_named() -> None:
    """Each is named once, with the index of its first occurrence, its value and the broken rule."""
    with pytest.raises(InvalidInput) as refusal:
        sheet_job("1234567", "x", "x", "12", symbology=find_symbology("EAN8")).run()
    problems = refusal.value.details["errors"]
    assert [(problem["field"], problem["value"], problem["rule"]) for problem in problems] == [
        ("products.1", "x", "alphabet"),
        ("products.3", "12", "length"),
    ]


def test_a_single_problem_is_the_message() -> None:
    """With one wrong code the message is complete."""
    message = r"^products\.0: EAN8: 2 digits, the next is missing at position 3; it takes 7, or 8 with the check digit$"
    with pytest.raises(InvalidInput, match=message):
        sheet_job("12", symbology=find_symbology("EAN8")).run()


def test_every_code_that_cannot_be_printed_is_named() -> None:
    """However many there are, the response lists all of them, and says how many the message leaves out."""
    with pytest.raises(InvalidInput, match=r"\(and 999 more\)$") as refusal:
        sheet_job(*(f"A{number}" for number in range(1000)), "96385074", symbology=find_symbology("EAN8")).run()
    fields = [problem["field"] for problem in refusal.value.details["errors"]]
    assert fields == [f"products.{number}" for number in range(1000)]


def test_a_line_that_no_font_has_is_one_problem() -> None:
    """A line that all labels share is named once, by its own field, and not as every product's."""
    with pytest.raises(InvalidInput) as refusal:
        job_of(["A", "B"], {"lines": ["fine", "{n} 茶"]}).run()
    (problem,) = refusal.value.details["errors"]
    assert (problem["field"], problem["value"]) == ("layout.lines.1", "{n} 茶")
    assert (problem["character"], problem["position"]) == ("U+8336", 5)


def test_descriptions_that_no_font_has_are_named_next_to_the_codes() -> None:
    """All unprintable texts are named at once, with the product, the character and the setting that helps."""
    with pytest.raises(InvalidInput) as refusal:
        sheet_job("1234567", "x", "9638507", symbology=find_symbology("EAN8"), **{"x": "茶", "9638507": "tea 😀"}).run()
    first, second, third = refusal.value.details["errors"]
    assert (first["rule"], second["rule"], second["character"]) == ("alphabet", "font", "U+8336")
    assert (third["field"], third["value"], third["character"], third["position"]) == (
        "products.2",
        "9638507",
        "U+1F600",
        5,
    )
    assert third["message"] == (
        "a text of 9638507: no font has a glyph for U+1F600 GRINNING FACE at position 5; "
        "BARCODESVC_LABEL_FONT names another font"
    )


def test_copies_are_numbered() -> None:
    """The numbers go on over all entries and copies, in the order of the labels."""
    products = [{"code": "A", "copies": 2}, {"code": "B", "values": {"n": "99"}}, "A"]
    job = job_of(products, {"lines": ["no {n:03}"], "number_from": 8})
    expected = ["A", "no 008", "A", "no 009", "B", "no 099", "A", "no 011"]
    assert lines_of(job.run()) == expected


def test_a_payload_is_encoded_once() -> None:
    """Equal payloads are one symbol, and other ones are several even for one code."""
    encoded: list[str] = []

    def encode(content: str) -> Symbol:
        encoded.append(content)
        return CODE128.encode(content)

    lots = [
        {"code": "A", "copies": 3, "values": {"lot": "1"}},
        {"code": "A", "values": {"lot": "2"}},
        {"code": "A", "values": {"lot": "1"}},
    ]
    job_of(lots, {}, replace(CODE128, encode=encode), payload="{product_code}/{lot}").run()
    assert encoded == ["A/1", "A/2"]


def test_everything_that_cannot_be_filled_is_named() -> None:
    """Placeholders without a text, wrong payloads and letters that no face has come out together, by their products."""
    products = [
        {"code": "A", "copies": 9},
        {"code": "B", "copies": 2, "values": {"lot": "x", "size": "é"}},
        {"code": "C", "values": {"lot": "茶", "size": "1"}},
    ]
    with pytest.raises(InvalidInput) as refusal:
        job_of(products, {"lines": ["{lot} {n}"]}, payload="{size}").run()
    problems = refusal.value.details["errors"]
    assert [(problem["field"], problem["rule"]) for problem in problems] == [
        ("products.0", "placeholder"),
        ("products.1", "alphabet"),
        ("products.2", "font"),
    ]
    assert problems[0]["placeholder"] == "{lot}"
    assert problems[0]["message"] == "A: nothing fills {lot}; give it in the values of the product"
    assert problems[1]["message"].startswith("the payload of B: CODE128: ")
