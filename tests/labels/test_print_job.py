from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pymupdf_fonts
import pypdfium2
import pytest

from barcodesvc.errors import GenerationFailure, InvalidInput, ProductNotFound, RenderOverload
from barcodesvc.labels.print_job import JOBS, SHORT_JOB, LabelPrinter, PrintJob, texts_of
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheets import page_size, simple_sheet
from barcodesvc.models import ProductDraft
from barcodesvc.store.database import Database
from barcodesvc.store.products import create_product
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import Symbology, find_symbology

CODE128 = find_symbology("CODE128")
SHEET = simple_sheet(page_size("A4"), 3, None)
NOW = "2023-11-14T22:13:20.000Z"


@pytest.fixture
async def printer() -> AsyncIterator[LabelPrinter]:
    """Return a printer that is closed in the end."""
    printer = LabelPrinter()
    yield printer
    await printer.close()


def _job(*codes: str, symbology: Symbology = CODE128, **descriptions: str) -> PrintJob:
    texts = {code: (text,) for code, text in descriptions.items() if text}
    places = {code: codes.index(code) for code in dict.fromkeys(codes)}
    return PrintJob(codes, symbology, SHEET, PrintSettings(), texts, places)


def _held_up(gate: threading.Event, begun: threading.Event | None = None) -> Symbology:
    """Return a symbology whose encoder waits, so that a job takes as long as a test wants, and tells when it begins."""

    def encode(content: str) -> Symbol:
        if begun:
            begun.set()
        gate.wait(10)
        return CODE128.encode(content)

    return replace(CODE128, encode=encode)


def _lines(pdf: bytes) -> list[str]:
    """Return the text of all pages, line by line."""
    pages = pypdfium2.PdfDocument(pdf)
    return [line for page in pages for line in page.get_textpage().get_text_range().splitlines()]


async def test_a_job_becomes_a_pdf(printer: LabelPrinter) -> None:
    """Every code gets a label with its text, and its description where there is one."""
    pdf = await printer.run(_job("A", "B", A="Blue pen"))
    assert Counter(_lines(pdf)) == Counter({"A": 1, "Blue pen": 1, "B": 1})


def test_labels_keep_their_order() -> None:
    """Labels stand in the order of the codes, copies where they were asked for, over all pages."""
    codes = [f"C{number % 7}" for number in range(100)]
    assert " ".join(_lines(_job(*codes).run())).split() == codes


def test_a_symbol_is_encoded_once_per_code() -> None:
    """However often a code is printed, its symbol is made once."""
    encoded: list[str] = []

    def encode(content: str) -> Symbol:
        encoded.append(content)
        return CODE128.encode(content)

    _job(*["B", "A", "B"] * 500, symbology=replace(CODE128, encode=encode)).run()
    assert encoded == ["B", "A"]


def test_codes_that_cannot_be_printed_are_named() -> None:
    """Each is told once, with the place where it stands first, its value and the broken rule."""
    with pytest.raises(InvalidInput) as refusal:
        _job("1234567", "x", "x", "12", symbology=find_symbology("EAN8")).run()
    told = refusal.value.details["errors"]
    assert [(problem["field"], problem["value"], problem["rule"]) for problem in told] == [
        ("products.1", "x", "alphabet"),
        ("products.3", "12", "length"),
    ]


def test_a_single_problem_is_the_message() -> None:
    """With one wrong code the message says it all."""
    told = r"^products\.0: EAN8: 2 digits, the next is missing at position 3; it holds 7, or 8 with the check digit$"
    with pytest.raises(InvalidInput, match=told):
        _job("12", symbology=find_symbology("EAN8")).run()


def test_every_code_that_cannot_be_printed_is_named() -> None:
    """However many there are, the answer lists all of them, and says how many more the message leaves out."""
    with pytest.raises(InvalidInput, match=r"\(and 999 more\)$") as refusal:
        _job(*(f"A{number}" for number in range(1000)), "96385074", symbology=find_symbology("EAN8")).run()
    fields = [problem["field"] for problem in refusal.value.details["errors"]]
    assert fields == [f"products.{number}" for number in range(1000)]


def test_a_line_that_no_font_has_is_one_problem() -> None:
    """A line that all labels have in common is named once, in its own place, and not as every product's."""
    with pytest.raises(InvalidInput) as refusal:
        replace(_job("A", "B"), lines=("fine", "茶")).run()
    (problem,) = refusal.value.details["errors"]
    assert (problem["field"], problem["value"], problem["character"]) == ("layout.lines.1", "茶", "U+8336")


def test_descriptions_that_no_font_has_are_named_beside_the_codes() -> None:
    """All that cannot be printed is told at once, with the product, the character and the setting that helps."""
    with pytest.raises(InvalidInput) as refusal:
        _job("1234567", "x", "9638507", symbology=find_symbology("EAN8"), **{"x": "茶", "9638507": "tea 😀"}).run()
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


async def test_the_named_face_is_used(tmp_path: Path) -> None:
    """A printer that was given a font sets in it what Helvetica lacks."""
    path = tmp_path / "named.ttf"
    path.write_bytes(pymupdf_fonts.myfont("notos"))
    printer = LabelPrinter(path)
    assert b"+NotoSans-Regular" in await printer.run(_job("A", A="Łódź"))
    await printer.close()


async def test_jobs_run_one_after_the_other_in_their_own_thread(printer: LabelPrinter) -> None:
    """Short jobs share one thread, named after their lane, and leave the event loop's alone."""
    names: list[str] = []

    def encode(content: str) -> Symbol:
        names.append(threading.current_thread().name)
        return CODE128.encode(content)

    await asyncio.gather(*(printer.run(_job("A", symbology=replace(CODE128, encode=encode))) for _ in range(5)))
    assert names == ["print-short_0"] * 5


async def test_a_short_job_does_not_wait_for_a_long_one(printer: LabelPrinter) -> None:
    """While a long job is held up, a sheet of one label is printed."""
    gate = threading.Event()
    long = asyncio.create_task(printer.run(_job(*["A"] * (SHORT_JOB + 1), symbology=_held_up(gate))))
    await asyncio.sleep(0)
    assert await printer.run(_job("B"))
    assert not long.done()
    gate.set()
    assert await long


async def test_closing_drops_the_jobs_that_wait() -> None:
    """At the end the job that runs is finished, and those behind it are not begun."""
    printer, gate = LabelPrinter(), threading.Event()
    jobs = [asyncio.create_task(printer.run(_job("A", symbology=_held_up(gate)))) for _ in range(3)]
    await asyncio.sleep(0)
    closing = asyncio.create_task(printer.close())
    await asyncio.wait(jobs[1:])
    assert not closing.done()
    gate.set()
    await closing
    first, *others = await asyncio.gather(*jobs, return_exceptions=True)
    assert isinstance(first, bytes)
    assert [type(other) for other in others] == [RenderOverload, RenderOverload]


async def test_the_queue_is_bounded(printer: LabelPrinter) -> None:
    """Beyond JOBS under way or waiting, a job is refused with Retry-After; all others are done."""
    gate = threading.Event()
    jobs = [asyncio.create_task(printer.run(_job("A", symbology=_held_up(gate)))) for _ in range(JOBS)]
    await asyncio.sleep(0)
    with pytest.raises(RenderOverload) as refusal:
        await printer.run(_job("B"))
    assert refusal.value.headers == {"Retry-After": "1"}
    gate.set()
    assert all(pdf.startswith(b"%PDF") for pdf in await asyncio.gather(*jobs))
    assert await printer.run(_job("B"))


async def test_a_job_that_nobody_waits_for_keeps_its_place(printer: LabelPrinter) -> None:
    """A caller that goes away frees no place before its job is done, so that the bound is one of work."""
    gate = threading.Event()
    jobs = [asyncio.create_task(printer.run(_job("A", symbology=_held_up(gate)))) for _ in range(JOBS)]
    await asyncio.sleep(0)
    for job in jobs:
        job.cancel()
    await asyncio.wait(jobs)
    with pytest.raises(RenderOverload):
        await printer.run(_job("B"))
    gate.set()


async def test_a_job_that_nobody_wants_is_dropped_before_it_begins(printer: LabelPrinter) -> None:
    """Clients that have gone leave their places in the queue to others; only the job that runs keeps its own."""
    gate, begun = threading.Event(), threading.Event()
    jobs = [
        asyncio.create_task(printer.run(_job("A", symbology=_held_up(gate, begun)), lambda: False)) for _ in range(JOBS)
    ]
    await asyncio.to_thread(begun.wait, 10)
    kept = [asyncio.create_task(printer.run(_job("B", symbology=_held_up(gate)))) for _ in range(JOBS - 1)]
    await asyncio.wait(jobs[1:])
    with pytest.raises(RenderOverload):
        await printer.run(_job("C"))
    gate.set()
    assert len(await asyncio.gather(*kept)) == JOBS - 1
    assert [isinstance(job.exception(), RenderOverload) for job in jobs[1:]] == [True] * (JOBS - 1)


async def test_long_jobs_take_no_place_of_short_ones(printer: LabelPrinter) -> None:
    """However many long jobs wait, a sheet of one label is printed; a long one is told how long to wait."""
    gate = threading.Event()
    long = _job(*["A"] * 2500, symbology=_held_up(gate))
    jobs = [asyncio.create_task(printer.run(long)) for _ in range(JOBS)]
    await asyncio.sleep(0)
    with pytest.raises(RenderOverload) as refusal:
        await printer.run(long)
    assert refusal.value.headers == {"Retry-After": "21"}
    assert await printer.run(_job("B"))
    gate.set()
    await asyncio.gather(*jobs)


async def test_a_failure_that_nobody_waits_for_is_no_loose_end(
    printer: LabelPrinter, caplog: pytest.LogCaptureFixture
) -> None:
    """It is not reported as an exception that was never retrieved."""
    gate = threading.Event()
    job = asyncio.create_task(printer.run(_job("x", symbology=replace(_held_up(gate), name="EAN8"))))
    refused = asyncio.create_task(printer.run(_job("x", symbology=find_symbology("EAN8"))))
    await asyncio.sleep(0)
    refused.cancel()
    gate.set()
    await asyncio.wait([job, refused])
    await printer.close()
    assert caplog.records == []


async def test_a_refusal_comes_out_as_it_is(printer: LabelPrinter) -> None:
    """What is wrong with the input stays an error of the input."""
    with pytest.raises(InvalidInput):
        await printer.run(_job("x", symbology=find_symbology("EAN8")))


async def test_an_unforeseen_failure_is_a_generation_failure(
    printer: LabelPrinter, caplog: pytest.LogCaptureFixture
) -> None:
    """The cause is logged with its trace and not told; the next job is done."""

    def encode(_content: str) -> Symbol:
        raise ZeroDivisionError("/secret")

    with pytest.raises(GenerationFailure) as failure:
        await printer.run(_job("A", symbology=replace(CODE128, encode=encode)))
    assert "secret" not in failure.value.message
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.ERROR, "printing 1 labels failed")
    ]
    assert await printer.run(_job("A"))


async def _stock(database: Database, codes: Sequence[str]) -> None:
    for code in codes:
        await create_product(database, ProductDraft(product_code=code, description=f"the {code}"), NOW)


async def test_descriptions_are_those_of_the_codes(database: Database) -> None:
    """Each code is asked for once, repeats or not."""
    await _stock(database, ["A", "B", "C"])
    assert await texts_of(database, ["B", "A", "B"], ["description"], ["new"]) == {
        "A": ("the A", "new"),
        "B": ("the B", "new"),
    }


@pytest.mark.parametrize(
    ("codes", "message", "missing"),
    [
        (["A", "X"], "there is no product with code 'X'", ["X"]),
        (["Y", "A", "X", "Y"], "there is no product with code 'Y' (and 1 more)", ["Y", "X"]),
    ],
)
async def test_every_code_without_a_product_is_listed(
    database: Database, codes: list[str], message: str, missing: list[str]
) -> None:
    """The missing ones are told all, each once, in the order in which they were asked for."""
    await _stock(database, ["A"])
    with pytest.raises(ProductNotFound) as failure:
        await texts_of(database, codes, ["description"], [])
    assert (failure.value.message, failure.value.details) == (message, {"missing": missing})
