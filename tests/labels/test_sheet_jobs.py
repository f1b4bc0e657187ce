"""Jobs for label sheets: from what a request asks for to a PDF file, and the queue in which they wait."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pymupdf_fonts
import pypdfium2
import pytest

from barcodesvc.errors import GenerationFailure, InvalidInput, RenderOverload, Stopping
from barcodesvc.labels.label_content import LabelData
from barcodesvc.labels.label_requests import LabelsRequest
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.labels.sheet_queue import JOBS, SheetQueue
from barcodesvc.symbols.modules import Symbol
from barcodesvc.symbols.registry import Symbology, find_symbology

CODE128, EAN8 = find_symbology("CODE128"), find_symbology("EAN8")
DESCRIPTIONS = {code: {"description": text} for code, text in (("1234567", "pen"), ("x", "茶"), ("9638507", "tea 😀"))}


def job_of(
    products: list[Any], layout: dict[str, Any] | None = None, symbology: Symbology = CODE128, **request: Any
) -> SheetJob:
    """Return a job for these products, with a symbology that may be in no registry."""
    asked = LabelsRequest(products=products, layout=layout or {}, **request)  # type: ignore[arg-type]  # validated
    data = LabelData(date(2026, 1, 31), None, DESCRIPTIONS, None)
    return SheetJob(asked.model_copy(update={"code_type": symbology}), data)


def lines_of(pdf: bytes) -> list[str]:
    """Return the text of all pages, line by line."""
    pages = pypdfium2.PdfDocument(pdf)
    return [line for page in pages for line in page.get_textpage().get_text_range().splitlines()]


def refused(job: SheetJob) -> list[dict[str, Any]]:
    """Return the problems for which a job is refused."""
    with pytest.raises(InvalidInput) as refusal:
        job.run()
    problems: list[dict[str, Any]] = refusal.value.details["errors"]
    return problems


def noting(encoded: list[str]) -> Symbology:
    """Return a symbology that notes what it encodes."""

    def encode(content: str) -> Symbol:
        encoded.append(content)
        return CODE128.encode(content)

    return replace(CODE128, encode=encode)


def test_labels_keep_their_order() -> None:
    """Labels are in the order of the codes over all pages, and each symbol is encoded once."""
    codes, encoded = [f"C{number % 7}" for number in range(100)], list[str]()
    assert " ".join(lines_of(job_of(codes, symbology=noting(encoded)).run())).split() == codes
    assert encoded == [f"C{number}" for number in range(7)]


def test_copies_are_numbered() -> None:
    """The numbers go on over all entries and copies, in the order of the labels."""
    products = [{"code": "A", "copies": 2}, {"code": "B", "values": {"n": "99"}}, "A"]
    job = job_of(products, {"lines": ["no {n:03}"], "number_from": 8})
    assert lines_of(job.run()) == ["A", "no 008", "A", "no 009", "B", "no 099", "A", "no 011"]


def test_a_payload_is_encoded_once() -> None:
    """Equal payloads are one symbol, and other ones are several even for one code."""
    encoded: list[str] = []
    lots = [
        {"code": "A", "copies": 3, "values": {"lot": "1"}},
        *({"code": "A", "values": {"lot": lot}} for lot in "21"),
    ]
    job_of(lots, symbology=noting(encoded), payload="{product_code}/{lot}").run()
    assert encoded == ["A/1", "A/2"]


def test_codes_that_cannot_be_printed_are_named() -> None:
    """Each is named once, with the index of its first occurrence, its value and the broken rule."""
    problems = refused(job_of(["1234567", "x", "x", "12"], symbology=EAN8))
    assert [(problem["field"], problem["value"], problem["rule"]) for problem in problems] == [
        ("products.1", "x", "alphabet"),
        ("products.3", "12", "length"),
    ]


def test_a_single_problem_is_the_message() -> None:
    """With one wrong code the message is complete."""
    message = r"^products\.0: EAN8: 2 digits, the next is missing at position 3; it takes 7, or 8 with the check digit$"
    with pytest.raises(InvalidInput, match=message):
        job_of(["12"], symbology=EAN8).run()


def test_every_code_that_cannot_be_printed_is_named() -> None:
    """However many there are, the response lists all of them, and says how many the message leaves out."""
    with pytest.raises(InvalidInput, match=r"\(and 999 more\)$") as refusal:
        job_of([*(f"A{number}" for number in range(1000)), "96385074"], symbology=EAN8).run()
    fields = [problem["field"] for problem in refusal.value.details["errors"]]
    assert fields == [f"products.{number}" for number in range(1000)]


def test_a_line_that_no_font_has_is_one_problem() -> None:
    """A line that all labels share is named once, by its own field, and not as every product's."""
    (problem,) = refused(job_of(["A", "B"], {"lines": ["fine", "{n} 茶"]}))
    assert (problem["field"], problem["value"]) == ("layout.lines.1", "{n} 茶")
    assert (problem["character"], problem["position"]) == ("U+8336", 5)


def test_descriptions_that_no_font_has_are_named_next_to_the_codes() -> None:
    """All unprintable texts are named at once, with the product, the character and the setting that helps."""
    job = job_of(["1234567", "x", "9638507"], {"include_description": True}, EAN8)
    first, second, third = refused(job)
    assert (first["rule"], second["rule"], second["character"]) == ("alphabet", "font", "U+8336")
    assert (third["field"], third["value"], third["position"]) == ("products.2", "9638507", 5)
    assert third["message"] == (
        "a text of 9638507: no font has a glyph for U+1F600 GRINNING FACE at position 5; "
        "BARCODESVC_LABEL_FONT names another font"
    )


def test_everything_that_cannot_be_filled_is_named() -> None:
    """Placeholders without a text, wrong payloads and letters that no face has come out together, by their products."""
    products = [
        {"code": "A", "copies": 9},
        {"code": "B", "copies": 2, "values": {"lot": "x", "size": "é"}},
        {"code": "C", "values": {"lot": "茶", "size": "1"}},
    ]
    problems = refused(job_of(products, {"lines": ["{lot} {n}"]}, payload="{size}"))
    assert [(problem["field"], problem["rule"]) for problem in problems] == [
        ("products.0", "placeholder"),
        ("products.1", "alphabet"),
        ("products.2", "font"),
    ]
    assert problems[0]["placeholder"] == "{lot}"
    assert problems[0]["message"] == "A: nothing fills {lot}; give it in the values of the product"
    assert problems[1]["message"].startswith("the payload of B: CODE128: ")


@pytest.fixture
async def queue() -> AsyncIterator[SheetQueue]:
    """Return a queue that is closed at the end."""
    queue = SheetQueue()
    yield queue
    await queue.close()


def _held_up(gate: threading.Event, begun: threading.Event | None = None) -> Symbology:
    """Return a symbology whose encoder sets `begun` and waits, so that a job takes as long as a test needs."""

    def encode(content: str) -> Symbol:
        if begun:
            begun.set()
        gate.wait(10)
        return CODE128.encode(content)

    return replace(CODE128, encode=encode)


async def test_the_named_face_is_used(tmp_path: Path) -> None:
    """Queues with a font use it for what the bundled faces lack."""
    path = tmp_path / "named.ttf"
    path.write_bytes(pymupdf_fonts.myfont("notos"))
    queue = SheetQueue(path)
    assert b"+NotoSans-Regular" in await queue.run(job_of(["A"], {"lines": ["Łódź"]}))
    await queue.close()


async def test_jobs_run_one_after_the_other_in_their_own_thread(queue: SheetQueue) -> None:
    """Short jobs share one thread, named after their queue, and leave the event loop's alone."""
    names: list[str] = []

    def encode(content: str) -> Symbol:
        names.append(threading.current_thread().name)
        return CODE128.encode(content)

    await asyncio.gather(*(queue.run(job_of(["A"], symbology=replace(CODE128, encode=encode))) for _ in range(5)))
    assert names == ["sheets-short_0"] * 5


async def test_closing_begins_no_job_that_waits() -> None:
    """At the end the running job is finished, and the waiting ones are not begun."""
    queue, gate = SheetQueue(), threading.Event()
    jobs = [asyncio.create_task(queue.run(job_of(["A"], symbology=_held_up(gate)))) for _ in range(3)]
    await asyncio.sleep(0)
    closing = asyncio.create_task(queue.close())
    await asyncio.sleep(0.05)
    assert not closing.done()
    gate.set()
    await closing
    first, *others = await asyncio.gather(*jobs, return_exceptions=True)
    assert isinstance(first, bytes)
    assert [type(other) for other in others] == [Stopping, Stopping]


async def test_the_queue_is_bounded(queue: SheetQueue) -> None:
    """Beyond JOBS under way or waiting, a job is rejected with Retry-After; all others are done."""
    gate = threading.Event()
    jobs = [asyncio.create_task(queue.run(job_of(["A"], symbology=_held_up(gate)))) for _ in range(JOBS)]
    await asyncio.sleep(0)
    with pytest.raises(RenderOverload) as refusal:
        await queue.run(job_of(["B"]))
    assert refusal.value.headers == {"Retry-After": "1"}
    gate.set()
    assert all(pdf.startswith(b"%PDF") for pdf in await asyncio.gather(*jobs))
    assert await queue.run(job_of(["B"]))


async def test_a_job_without_a_waiting_client_counts_until_it_is_done(queue: SheetQueue) -> None:
    """When a caller leaves, its job keeps its slot until it is done: the limit is on work."""
    gate = threading.Event()
    jobs = [asyncio.create_task(queue.run(job_of(["A"], symbology=_held_up(gate)))) for _ in range(JOBS)]
    await asyncio.sleep(0)
    for job in jobs:
        job.cancel()
    await asyncio.wait(jobs)
    with pytest.raises(RenderOverload):
        await queue.run(job_of(["B"]))
    gate.set()


async def test_a_job_whose_client_has_left_is_not_begun(queue: SheetQueue) -> None:
    """Jobs of clients that have left are skipped, however many labels they have, and others take their turn."""
    gate, begun = threading.Event(), threading.Event()
    first = asyncio.create_task(queue.run(job_of(["A"], symbology=_held_up(gate))))
    unwanted = [
        asyncio.create_task(queue.run(job_of(["B"], symbology=_held_up(gate, begun)), lambda: False)) for _ in range(3)
    ]
    wanted = asyncio.create_task(queue.run(job_of(["C"])))
    await asyncio.sleep(0)
    gate.set()
    assert await first
    assert await wanted
    failures = await asyncio.gather(*unwanted, return_exceptions=True)
    assert [(type(each), str(each)) for each in failures] == [(GenerationFailure, "the client has disconnected")] * 3
    assert not begun.is_set()
    assert queue.jobs_by_queue == {"short": 0, "long": 0}


async def test_long_jobs_take_no_capacity_from_short_ones(queue: SheetQueue) -> None:
    """However many long jobs wait, a sheet of one label is printed; a long one learns how long to wait."""
    gate = threading.Event()
    long = job_of(["A"] * 2500, symbology=_held_up(gate))
    jobs = [asyncio.create_task(queue.run(long)) for _ in range(JOBS)]
    await asyncio.sleep(0)
    with pytest.raises(RenderOverload) as refusal:
        await queue.run(long)
    assert refusal.value.headers == {"Retry-After": "21"}
    assert await queue.run(job_of(["B"]))
    gate.set()
    await asyncio.gather(*jobs)


async def test_a_failure_without_a_waiting_client_is_retrieved(
    queue: SheetQueue, caplog: pytest.LogCaptureFixture
) -> None:
    """It is not reported as an exception that was never retrieved."""
    gate = threading.Event()
    job = asyncio.create_task(queue.run(job_of(["x"], symbology=replace(_held_up(gate), name="EAN8"))))
    refused = asyncio.create_task(queue.run(job_of(["x"], symbology=find_symbology("EAN8"))))
    await asyncio.sleep(0)
    refused.cancel()
    gate.set()
    await asyncio.wait([job, refused])
    await queue.close()
    assert caplog.records == []


async def test_an_unforeseen_failure_is_a_generation_failure(
    queue: SheetQueue, caplog: pytest.LogCaptureFixture
) -> None:
    """The cause is logged with its traceback and not sent; the next job is done."""

    def encode(_content: str) -> Symbol:
        raise ZeroDivisionError("/secret")

    with pytest.raises(GenerationFailure) as failure:
        await queue.run(job_of(["A"], symbology=replace(CODE128, encode=encode)))
    assert "secret" not in failure.value.message
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.ERROR, "printing 1 labels failed")
    ]
    assert await queue.run(job_of(["A"]))
