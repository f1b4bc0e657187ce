"""Printers over HTTP: what is printed, jobs and their rest, and what is refused."""

import asyncio
import re
import threading
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse
from PIL import Image

from barcodesvc import service
from barcodesvc.api.keys import SERVICE
from tests.api.replies import problems
from tests.api.sockets import raw
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker
from tests.printers.ipp_printer import IppPrinter
from tests.servers.label_printer import LabelPrinter

JOBS, ZEBRA = "/api/printers/office/jobs", "/api/printers/zebra/jobs"
OVER = ("printed", "sent", "failed", "cancelled", "in_doubt")
BODY: dict[str, Any] = {"products": ["A-1", {"code": "B-2", "copies": 2}]}
OFF = ("office=ipp://127.0.0.1:9/ipp/print?sheet=L7160",)
CODES = [f"A-{number}" for number in range(60)]


def office(printer: IppPrinter, options: str = "sheet=L7160") -> tuple[str, ...]:
    """Return the setting with this printer."""
    return (f"office=ipp://127.0.0.1:{printer.port}/ipp/print?{options}",)


def zebra(printer: LabelPrinter, options: str = "&dpi=203") -> tuple[str, ...]:
    """Return the setting with this label printer."""
    return (f"zebra=zpl://127.0.0.1:{printer.port}?label=50x30mm{options}",)


async def data(response: ClientResponse) -> Any:
    """Return what a response carries."""
    return (await response.json())["data"]


async def over(client: Client, job: dict[str, Any], jobs: str = JOBS) -> dict[str, Any]:
    """Wait until a job is over, and return it."""
    async with asyncio.timeout(30):
        while job["state"] not in OVER:
            await asyncio.sleep(0.02)
            job = await data(await client.get(f"{jobs}/{job['id']}"))
    return job


async def printed(client: Client, body: dict[str, Any] = BODY, jobs: str = JOBS) -> dict[str, Any]:
    """Print labels, and return the job once it is over."""
    return await over(client, await data(await client.post(jobs, json=body)), jobs)


async def zpl(client: Client, products: list[Any], **layout: object) -> list[bytes]:
    """Return the labels that the service writes as a file, copies as one."""
    body = {"products": products, "layout": {"sheet": "50x30mm", "dpi": 203, **layout}, "output": "zpl"}
    return labels_of(await (await client.post("/api/codes/printable", json=body)).read())


def labels_of(file: bytes) -> list[bytes]:
    """Return what is between `^XA` and `^XZ` of each label."""
    return re.findall(rb"\^XA(.*?)\^XZ", file, re.DOTALL)


async def test_labels_are_printed(make_client: ClientMaker) -> None:
    """A job goes to the printer as a PDF of its sheet, and the printer's word for it is in the job."""
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        response = await client.post(JOBS, json=BODY)
        job = await data(response)
        assert (response.status, job["state"], job["labels"]) == (202, "waiting", 3)
        ended = await over(client, job)
    assert (ended["state"], ended["labels_sure"], ended["labels_unsure"]) == ("printed", 3, 0)
    [document] = printer.documents
    assert document.content.startswith(b"%PDF")
    assert document.media == (21000, 29700)
    said = {"print-scaling": "none", "sides": "one-sided", "document-format": "application/pdf"}
    assert document.said.items() >= said.items()


async def test_a_label_printer_prints_what_a_file_has(make_client: ClientMaker) -> None:
    """The labels are those of printable, in order, under the options of the printer; the metrics count them."""
    async with LabelPrinter().running() as printer:
        client = await make_client(printers=zebra(printer, "&dpi=203&darkness=20"))
        job = await printed(client, {"products": CODES}, ZEBRA)
        assert (job["state"], job["labels_sure"]) == ("printed", len(CODES))
        assert printer.printed == await zpl(client, CODES, darkness=20)
        scraped = await (await client.get("/metrics")).text()
    assert 'barcodesvc_print_jobs_total{printer="zebra",state="printed"} 1.0' in scraped
    assert 'barcodesvc_printed_labels_total{printer="zebra"} 60.0' in scraped


async def test_a_device_file_gets_the_labels(make_client: ClientMaker, tmp_path: Path) -> None:
    """It tells nothing, so the job is sent, not printed; before it is plugged in, its jobs wait, and it is not made."""
    device, jobs = tmp_path / "lp0", "/api/printers/usb/jobs"
    client = await make_client(printers=(f"usb=file://{device}?label=50x30mm&dpi=203",))
    job = await data(await client.post(jobs, json={"products": CODES}))
    [listed] = await data(await client.get("/api/printers"))
    assert (listed["kind"], listed["state"], listed["jobs_waiting"]) == ("file", "not_reachable", 1)
    assert not device.exists()
    device.touch()
    job = await over(client, job, jobs)
    assert (job["state"], job["labels_sure"], job["labels_unsure"]) == ("sent", 0, len(CODES))
    assert labels_of(device.read_bytes()) == await zpl(client, CODES)


async def test_copies_are_labels(make_client: ClientMaker) -> None:
    """The printer repeats equal labels itself, and each counts."""
    async with LabelPrinter().running() as printer:
        client = await make_client(printers=zebra(printer))
        job = await printed(client, {"products": [{"code": "A-1", "copies": 120}, "B-1"]}, ZEBRA)
    assert (job["state"], job["labels_sure"], len(printer.printed)) == ("printed", 121, 121)
    assert len(set(printer.printed[:50])) == 1
    assert printer.received < 20_000


async def test_labels_of_a_saved_layout_are_numbered_in_a_row(make_client: ClientMaker) -> None:
    """A job uses a layout by name, with its image, counts over its documents, and goes on with the rest of a job."""
    layout = {"sheet": "50x30mm", "dpi": 300, "image": {"name": "logo", "width": 8}, "lines": ["{n:03} of shelf 7"]}
    file = BytesIO()
    Image.new("1", (32, 32)).save(file, "PNG")
    async with LabelPrinter().running() as printer:
        client = await make_client(printers=zebra(printer))
        await client.put("/api/codes/images/logo", data=file.getvalue(), headers={"Content-Type": "image/png"})
        await client.put("/api/codes/layouts/shelf", json=layout)
        job = await printed(client, {"products": CODES, "layout": {"name": "shelf", "number_from": 8}}, ZEBRA)
        expected = await zpl(client, CODES, **{**layout, "dpi": 203, "number_from": 8})
        assert (job["state"], printer.printed) == ("printed", expected)
        assert len(set(expected)) == len(CODES)
        again = await client.post(f"{ZEBRA}/{job['id']}/resend", json={"from_label": 55})
        await over(client, await data(again), ZEBRA)
    assert printer.printed[60:] == expected[54:]


SHEET = {"sheet": "L7160", "start_position": 4, "offset_x": 5, "dpi": 600, "font_size": 7}
GRID = {"page_size": "A4", "labels_per_row": 2, "label_width": 90, "label_height": 50, "margin_left": 9, "font_size": 7}


@pytest.mark.parametrize("saved", [SHEET, GRID], ids=["sheet", "grid"])
async def test_a_layout_of_a_sheet_prints_on_a_roll(make_client: ClientMaker, saved: dict[str, object]) -> None:
    """A saved one gives what is on the labels; the printer has its own labels, and its own dots.

    One that was made for these labels keeps its offset, even if the request names them once more.
    """
    async with LabelPrinter().running() as printer:
        client = await make_client(printers=zebra(printer))
        await client.put("/api/codes/layouts/shelf", json=saved)
        await client.put("/api/codes/layouts/roll", json={"sheet": "50x30mm", "offset_x": 1})
        here = {"sheet": "50x30mm", "dpi": 300}
        for layout in ("shelf", {"name": "shelf", **here}, "roll", {"name": "roll", **here}):
            assert (await printed(client, {"products": ["A-1"], "layout": layout}, ZEBRA))["state"] == "printed"
        assert printer.printed[:2] == 2 * await zpl(client, ["A-1"], font_size=7)
        assert printer.printed[2:] == 2 * await zpl(client, ["A-1"], offset_x=1)


async def test_printers_are_listed(make_client: ClientMaker) -> None:
    """Each printer of the settings has its state, what is in it, and how many jobs wait."""
    async with IppPrinter(ready=((5400, 2500),)).running() as printer:
        client = await make_client(printers=office(printer, "label=54x25mm&dpi=203"))
        [listed] = await data(await client.get("/api/printers"))
        assert {**listed, "since": ""} == {
            "name": "office",
            "kind": "ipp",
            "label": "54x25mm",
            "loaded": "54x25mm",
            "dpi": 203,
            "state": "ready",
            "since": "",
            "jobs_waiting": 0,
        }


async def test_the_log_names_the_printers_at_the_start(
    make_client: ClientMaker, caplog: pytest.LogCaptureFixture
) -> None:
    """A setting that a shell has cut shows."""
    caplog.set_level("INFO", "barcodesvc")
    await make_client(printers=("zebra=zpl://10.1.0.20?label=100x50mm", "office=ipp://10.1.0.30?sheet=L7160"))
    zebra = "zebra (zpl://10.1.0.20:9100, 100x50mm, 203 dpi)"
    assert f"printers: {zebra}, office (ipp://10.1.0.30:631/ipp/print, L7160, 300 dpi)" in caplog.messages


async def test_raster_has_the_dots_of_the_printer(make_client: ClientMaker) -> None:
    """A printer without PDF gets PWG raster of a resolution that it lists; with another one nothing is sent."""
    async with IppPrinter(formats=("image/pwg-raster",), resolutions=(203,)).running() as printer:
        client = await make_client(printers=office(printer, "label=50x30mm&dpi=203"))
        assert (await printed(client, {**BODY, "layout": {"dpi": 600}}))["state"] == "printed"
        [document] = printer.documents
        assert (document.content[:4], document.said["document-format"]) == (b"RaS2", "image/pwg-raster")
        printer.resolutions = (300,)
        ended = await printed(client)
    assert (ended["state"], ended["message"]) == ("failed", "the printer reads neither PDF nor PWG raster at 203 dpi")


async def test_a_raster_has_a_bounded_number_of_dots(make_client: ClientMaker) -> None:
    """A page with more dots than printable draws is not drawn for a printer, but a PDF has no dots."""
    async with IppPrinter(formats=("image/pwg-raster",), resolutions=(1200,)).running() as printer:
        client = await make_client(printers=office(printer, "sheet=L7160&dpi=1200"))
        ended = await printed(client)
        assert (ended["state"], "139 million dots at 1200 dpi" in ended["message"]) == ("failed", True)
        printer.formats = ("application/pdf",)
        assert (await printed(client))["state"] == "printed"


async def test_jobs_are_listed_newest_first(make_client: ClientMaker) -> None:
    """Pages follow each other by id."""
    client = await make_client(printers=OFF)
    ids = [(await data(await client.post(JOBS, json=BODY)))["id"] for _ in range(3)]
    newest = await data(await client.get(JOBS, params={"limit": 2}))
    rest = await data(await client.get(JOBS, params={"before": newest[-1]["id"]}))
    assert [job["id"] for job in (*newest, *rest)] == ids[::-1]


async def test_a_job_that_is_over_is_printed_again(make_client: ClientMaker) -> None:
    """The new job has the labels from the one that was asked for, and names the old one."""
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        path = f"{JOBS}/{(await printed(client))['id']}"
        response = await client.post(f"{path}/resend", json={"from_label": 2}, headers={"Idempotency-Key": "k"})
        again = await data(response)
        replayed = await client.post(f"{path}/resend", json={"from_label": 2, "idempotency_key": "k"})
        assert await data(replayed) == again
        assert (response.status, again["labels"], f"{JOBS}/{again['resend_of']}") == (202, 2, path)
        assert (await over(client, again))["state"] == "printed"
        cancelled = await client.post(f"{path}/cancel")
        assert (cancelled.status, (await cancelled.json())["details"]["state"]) == (409, "printed")
        assert (await client.post(f"{path}/resend", json={"from_label": 4})).status == 409


async def test_a_rest_begins_at_the_position_that_is_asked_for(make_client: ClientMaker) -> None:
    """The sheet is another one than that of the first job, so the position of the layout does not count for it.

    Documents are whole pages, so that at most 50 labels are in doubt at once.
    """
    body = {"products": [{"code": "A-1", "copies": 60}], "layout": {"start_position": 20}}
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        job = await printed(client, body)
        for asked in ({"from_label": 1}, {"from_label": 2, "start_position": 3}):
            job = await over(client, await data(await client.post(f"{JOBS}/{job['id']}/resend", json=asked)))
        assert job["labels_sure"] == 59
        refused = await client.post(f"{JOBS}/{job['id']}/resend", json={"from_label": 1, "start_position": 22})
        [problem] = (await refused.json())["details"]["errors"]
    names = [document.said["job-name"] for document in printer.documents]
    assert names == 2 * ["23 labels", "37 labels"] + ["40 labels", "19 labels"]
    assert (refused.status, problem["field"], problem["message"]) == (400, "start_position", "the sheet has 21 labels")


async def test_a_rest_on_a_roll_has_no_position(make_client: ClientMaker) -> None:
    """A request with one is refused, and nothing is queued."""
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer, "label=50x30mm"))
        job = await printed(client)
        body = {"from_label": 1, "start_position": 1}
        refused = await client.post(f"{JOBS}/{job['id']}/resend", json=body)
        assert list(await problems(refused)) == ["start_position"]
        assert len(await data(await client.get(JOBS))) == 1


async def test_a_job_tells_its_first_products(make_client: ClientMaker) -> None:
    """Each code once, at most five, and of a rest those that it prints."""
    codes = ["A-1", {"code": "B-2", "copies": 2}, "A-1", "C-3", "D-4", "E-5", "F-6"]
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        job = await printed(client, {"products": codes})
        assert (job["products"], job["from_label"]) == (["A-1", "B-2", "C-3", "D-4", "E-5"], 1)
        for asked, first, told in ((3, 3, ["B-2", "A-1", "C-3", "D-4", "E-5"]), (6, 8, ["F-6"])):
            again = await client.post(f"{JOBS}/{job['id']}/resend", json={"from_label": asked})
            job = await over(client, await data(again))
            assert (job["from_label"], job["products"]) == (first, told)


async def test_a_job_that_waits_is_cancelled(make_client: ClientMaker) -> None:
    """It waits for a printer that is off, and nothing of it is printed."""
    client = await make_client(printers=OFF)
    job = await data(await client.post(JOBS, json=BODY))
    [listed] = await data(await client.get("/api/printers"))
    assert (listed["state"], listed["jobs_waiting"]) == ("not_reachable", 1)
    assert (await data(await client.post(f"{JOBS}/{job['id']}/cancel")))["state"] == "cancelled"


async def test_a_job_that_needs_a_person_is_settled(make_client: ClientMaker) -> None:
    """It is among the unsettled ones of its printer until somebody says that they have seen to it."""
    async with IppPrinter(formats=()).running() as printer:
        client = await make_client(printers=office(printer))
        job = await printed(client)
        assert (job["state"], job["settled_at"]) == ("failed", None)
        [listed] = await data(await client.get(JOBS, params={"unsettled": "true"}))
        settled = await data(await client.post(f"{JOBS}/{listed['id']}/settle"))
        assert settled == {**listed, "settled_at": listed["created_at"]}
        assert await data(await client.get(JOBS, params={"unsettled": "true"})) == []


@pytest.mark.each_engine
async def test_the_queue_is_bounded(make_client: ClientMaker) -> None:
    """More jobs than the settings allow are a 503."""
    client = await make_client(printers=OFF, print_jobs=1)
    assert (await client.post(JOBS, json=BODY)).status == 202
    refused = await client.post(JOBS, json=BODY)
    assert (refused.status, refused.headers["Retry-After"]) == (503, "30")


@pytest.mark.each_engine
async def test_jobs_that_arrive_at_once_are_queued(make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A burst of short jobs is limited by the queue of the printers, not by the places of label sheets."""
    monkeypatch.setattr(service, "SHEET_QUEUE", 1)
    client = await make_client(printers=OFF)
    responses = await asyncio.gather(*(client.post(JOBS, json=BODY) for _ in range(20)))
    assert {response.status for response in responses} == {202}


async def test_the_work_on_a_job_waits_for_that_on_other_bodies(make_client: ClientMaker) -> None:
    """Large jobs at once would hold the interpreter; the work on a job and on its rest is in the thread for bodies."""
    client, earlier = await make_client(printers=OFF), threading.Event()
    running = asyncio.create_task(client.app[SERVICE].body_thread.run(earlier.wait))
    asked = asyncio.create_task(client.post(JOBS, json=BODY))
    listed = [await client.get(JOBS) for _ in range(50)]
    earlier.set()
    await running
    assert [await data(response) for response in listed] == 50 * [[]]
    assert (await asked).status == 202


async def test_an_unknown_printer_is_named_before_its_labels_arrive(client: Client) -> None:
    """A client does not send two megabytes for a printer that the service does not have."""
    head = b"POST /api/printers/none/jobs HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: 2000000\r\n\r\n"
    assert (await raw(client, head, b"there is no printer 'none'")).startswith(b"HTTP/1.1 404 ")


async def test_what_cannot_be_printed_is_refused(make_client: ClientMaker) -> None:
    """Nothing is queued of a request that names a wrong code, another page, or a product that is missing."""
    client = await make_client(printers=(*OFF, "zebra=zpl://127.0.0.1:9?label=50x30mm"))
    bad = await client.post(JOBS, json={"products": ["A-1", "x"], "code_type": "EAN13"})
    assert list(await problems(bad)) == ["products.0", "products.1"]
    for jobs, layout, field in (
        (JOBS, {"page_size": "A4"}, "layout.page_size"),
        (JOBS, {"sheet": "100x50mm"}, "layout.sheet"),
        (ZEBRA, {"sheet": "L7160"}, "layout.sheet"),
        (ZEBRA, {"sheet": "100x50mm"}, "layout.sheet"),
    ):
        found = await problems(await client.post(jobs, json={**BODY, "layout": layout}))
        assert list(found) == [field]
        assert jobs == JOBS or found[field] == "the printer has 50x30mm, which is another page"
    missing = await client.post(JOBS, json={**BODY, "layout": {"include_description": True}})
    assert (missing.status, (await missing.json())["details"]["missing"]) == (404, ["A-1", "B-2"])
    assert await data(await client.get(JOBS)) == await data(await client.get(ZEBRA)) == []


async def test_unknown_printers_and_jobs_are_not_found(make_client: ClientMaker) -> None:
    """Each is a 404 with the reason `not_found`, and so is a layout that is not saved."""
    client = await make_client(printers=OFF)
    missing = "/api/printers/missing/jobs"
    for response in (
        await client.get(missing),
        await client.post(missing, json=BODY),
        await client.get(f"{JOBS}/1"),
        await client.post(f"{JOBS}/1/cancel"),
        await client.post(f"{JOBS}/1/settle"),
        await client.post(f"{JOBS}/1/resend", json={}),
        await client.post(JOBS, json={**BODY, "layout": "missing"}),
    ):
        refused = await response.json()
        assert (response.status, refused["code"], refused["details"]["reason"]) == (
            404,
            "VALIDATION_ERROR",
            "not_found",
        )


async def test_descriptions_are_those_of_the_request(make_client: ClientMaker) -> None:
    """A job keeps the texts of its products, so that documents made later are the same."""
    product = {"product_code": "A-1", "description": "Highlighter"}
    async with IppPrinter(is_stopped=True).running() as printer:
        client = await make_client(printers=office(printer))
        created = await data(await client.post("/api/products", json=product))
        body = {"products": ["A-1"], "layout": {"include_description": True}}
        job = await data(await client.post(JOBS, json=body))
        await client.delete(f"/api/products/{created['id']}")
        printer.is_stopped = False
        assert (await over(client, job))["state"] == "printed"
