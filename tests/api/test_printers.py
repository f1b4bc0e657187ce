import asyncio
import threading
from typing import Any

import pytest

from barcodesvc import service
from barcodesvc.api.keys import SERVICE
from barcodesvc.config import Settings, load_settings
from barcodesvc.errors import StartError
from barcodesvc.printers.layouts import printer_layouts
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker
from tests.printers.ipp_printer import IppPrinter
from tests.sweeps import sweep

JOBS = "/api/printers/office/jobs"
OVER = ("printed", "sent", "failed", "cancelled", "in_doubt")
BODY: dict[str, Any] = {"products": ["A-1", {"code": "B-2", "copies": 2}]}


def office(printer: IppPrinter, options: str = "sheet=L7160") -> tuple[str, ...]:
    """Return the setting with this printer."""
    return (f"office=ipp://127.0.0.1:{printer.port}/ipp/print?{options}",)


async def over(client: Client, job_id: int) -> dict[str, Any]:
    """Wait until a job is over, and return it."""
    async with asyncio.timeout(20):
        while (job := (await (await client.get(f"{JOBS}/{job_id}")).json())["data"])["state"] not in OVER:  # noqa: ASYNC110 - the service sends no event
            await asyncio.sleep(0.02)
    found: dict[str, Any] = job
    return found


async def test_labels_are_printed(make_client: ClientMaker) -> None:
    """A job goes to the printer as a PDF of its sheet, and the printer's word for it is in the job."""
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        response = await client.post(JOBS, json=BODY)
        job = (await response.json())["data"]
        assert (response.status, job["state"], job["labels"]) == (202, "waiting", 3)
        ended = await over(client, job["id"])
        assert (ended["state"], ended["labels_sure"], ended["labels_unsure"]) == ("printed", 3, 0)
    [document] = printer.documents
    assert document.content.startswith(b"%PDF")
    assert document.media == (21000, 29700)
    assert (
        document.said.items()
        >= {"print-scaling": "none", "sides": "one-sided", "document-format": "application/pdf"}.items()
    )


async def test_printers_are_listed(make_client: ClientMaker) -> None:
    """Each printer of the settings has its state, what is in it, and how many jobs wait."""
    async with IppPrinter(ready=((5400, 2500),)).running() as printer:
        client = await make_client(printers=office(printer, "label=54x25mm&dpi=203"))
        [listed] = (await (await client.get("/api/printers")).json())["data"]
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
    zebra, office = (
        "zebra (zpl://10.1.0.20:9100, 100x50mm, 203 dpi)",
        "office (ipp://10.1.0.30:631/ipp/print, L7160, 300 dpi)",
    )
    assert f"printers: {zebra}, {office}" in caplog.messages


async def test_a_long_job_goes_in_documents_of_whole_pages(make_client: ClientMaker) -> None:
    """At most 50 labels are in doubt at once: two sheets of 21, the first partly used."""
    body = {"products": [{"code": "A-1", "copies": 60}], "layout": {"start_position": 20}}
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        job = (await (await client.post(JOBS, json=body)).json())["data"]
        assert (await over(client, job["id"]))["labels_sure"] == 60
    assert [document.said["job-name"] for document in printer.documents] == ["23 labels", "37 labels"]


async def test_raster_has_the_dots_of_the_printer(make_client: ClientMaker) -> None:
    """A printer without PDF gets PWG raster of a resolution that it lists; with another one nothing is sent."""
    async with IppPrinter(formats=("image/pwg-raster",), resolutions=(203,)).running() as printer:
        client = await make_client(printers=office(printer, "label=50x30mm&dpi=203"))
        job = (await (await client.post(JOBS, json={**BODY, "layout": {"dpi": 600}})).json())["data"]
        assert (await over(client, job["id"]))["state"] == "printed"
        [document] = printer.documents
        assert (document.content[:4], document.said["document-format"]) == (b"RaS2", "image/pwg-raster")
        printer.resolutions = (300,)
        job = (await (await client.post(JOBS, json=BODY)).json())["data"]
        ended = await over(client, job["id"])
        assert (ended["state"], ended["message"]) == (
            "failed",
            "the printer reads neither PDF nor PWG raster of 203 dpi",
        )


async def test_a_raster_has_a_bounded_number_of_dots(make_client: ClientMaker) -> None:
    """A page with more dots than printable draws is not drawn for a printer, but a PDF has no dots."""
    options = "sheet=L7160&dpi=1200"
    async with IppPrinter(formats=("image/pwg-raster",), resolutions=(1200,)).running() as printer:
        client = await make_client(printers=office(printer, options))
        job = (await (await client.post(JOBS, json=BODY)).json())["data"]
        ended = await over(client, job["id"])
        assert (ended["state"], "139 million dots at 1200 dpi" in ended["message"]) == ("failed", True)
        printer.formats = ("application/pdf",)
        job = (await (await client.post(JOBS, json=BODY)).json())["data"]
        assert (await over(client, job["id"]))["state"] == "printed"


async def test_jobs_are_listed_newest_first(make_client: ClientMaker) -> None:
    """Pages follow each other by id."""
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        ids = [(await (await client.post(JOBS, json=BODY)).json())["data"]["id"] for _ in range(3)]
        await over(client, ids[-1])
        newest = (await (await client.get(JOBS, params={"limit": 2})).json())["data"]
        rest = (await (await client.get(JOBS, params={"before": newest[-1]["id"]})).json())["data"]
    assert [job["id"] for job in (*newest, *rest)] == ids[::-1]


async def test_a_job_that_is_over_is_printed_again(make_client: ClientMaker) -> None:
    """The new job has the labels from the one that was asked for, and names the old one."""
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        job = (await (await client.post(JOBS, json=BODY)).json())["data"]
        await over(client, job["id"])
        resend = f"{JOBS}/{job['id']}/resend"
        response = await client.post(resend, json={"from_label": 2}, headers={"Idempotency-Key": "k"})
        again = (await response.json())["data"]
        replayed = await client.post(resend, json={"from_label": 2, "idempotency_key": "k"})
        assert (await replayed.json())["data"] == again
        assert (response.status, again["labels"], again["resend_of"]) == (202, 2, job["id"])
        assert (await over(client, again["id"]))["state"] == "printed"
        cancelled = await client.post(f"{JOBS}/{job['id']}/cancel")
        assert (cancelled.status, (await cancelled.json())["details"]["state"]) == (409, "printed")
        missing = await client.post(resend, json={"from_label": 4})
        assert missing.status == 409


async def test_a_rest_begins_at_the_position_that_is_asked_for(make_client: ClientMaker) -> None:
    """The sheet is another one than that of the first job, so the position of the layout does not count for it."""
    body = {"products": [{"code": "A-1", "copies": 60}], "layout": {"start_position": 20}}
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        job = (await (await client.post(JOBS, json=body)).json())["data"]
        for asked in (
            {"from_label": 1},
            {"from_label": 1, "start_position": 3},
            {"from_label": 2, "start_position": 3},
        ):
            assert (await over(client, job["id"]))["state"] == "printed"
            again = await client.post(f"{JOBS}/{job['id']}/resend", json=asked)
            job = (await again.json())["data"]
        assert (await over(client, job["id"]))["labels_sure"] == 59
        refused = await client.post(f"{JOBS}/{job['id']}/resend", json={"from_label": 1, "start_position": 22})
        [problem] = (await refused.json())["details"]["errors"]
    names = [document.said["job-name"] for document in printer.documents]
    assert names == 2 * ["23 labels", "37 labels"] + ["40 labels", "20 labels"] + ["40 labels", "19 labels"]
    assert (refused.status, problem["field"], problem["message"]) == (400, "start_position", "the sheet has 21 labels")


async def test_a_rest_on_a_roll_has_no_position(make_client: ClientMaker) -> None:
    """A request with one is refused, and nothing is queued."""
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer, "label=50x30mm"))
        job = (await (await client.post(JOBS, json=BODY)).json())["data"]
        await over(client, job["id"])
        refused = await client.post(f"{JOBS}/{job['id']}/resend", json={"from_label": 1, "start_position": 1})
        [problem] = (await refused.json())["details"]["errors"]
        assert (refused.status, problem["field"]) == (400, "start_position")
        assert len((await (await client.get(JOBS)).json())["data"]) == 1


async def test_a_job_tells_its_first_products(make_client: ClientMaker) -> None:
    """Each code once, at most five, and of a rest those that it prints."""
    codes = ["A-1", {"code": "B-2", "copies": 2}, "A-1", "C-3", "D-4", "E-5", "F-6"]
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        job = (await (await client.post(JOBS, json={"products": codes})).json())["data"]
        assert (job["products"], job["from_label"]) == (["A-1", "B-2", "C-3", "D-4", "E-5"], 1)
        await over(client, job["id"])
        for asked, first, told in (
            (3, 3, ["B-2", "A-1", "C-3", "D-4", "E-5"]),
            (2, 4, ["A-1", "C-3", "D-4", "E-5", "F-6"]),
            (5, 8, ["F-6"]),
        ):
            again = await client.post(f"{JOBS}/{job['id']}/resend", json={"from_label": asked})
            job = (await again.json())["data"]
            assert (job["from_label"], job["products"]) == (first, told)
            await over(client, job["id"])
        listed = (await (await client.get(JOBS)).json())["data"]
    assert listed[0]["products"] == ["F-6"]


async def test_a_job_that_waits_is_cancelled(make_client: ClientMaker) -> None:
    """It waits for a printer that is off, and nothing of it is printed."""
    async with IppPrinter().running() as printer:
        setting = office(printer)
    client = await make_client(printers=setting)
    job = (await (await client.post(JOBS, json=BODY)).json())["data"]
    [listed] = (await (await client.get("/api/printers")).json())["data"]
    assert (listed["state"], listed["jobs_waiting"]) == ("not_reachable", 1)
    response = await client.post(f"{JOBS}/{job['id']}/cancel")
    assert (await response.json())["data"]["state"] == "cancelled"


async def test_a_job_that_needs_a_person_is_settled(make_client: ClientMaker) -> None:
    """It is among the unsettled ones of its printer until somebody says that they have seen to it."""
    async with IppPrinter(formats=()).running() as printer:
        client = await make_client(printers=office(printer))
        job = (await (await client.post(JOBS, json=BODY)).json())["data"]
        assert ((await over(client, job["id"]))["state"], job["settled_at"]) == ("failed", None)
        [listed] = (await (await client.get(JOBS, params={"unsettled": "true"})).json())["data"]
        settled = (await (await client.post(f"{JOBS}/{listed['id']}/settle")).json())["data"]
        assert settled == {**listed, "settled_at": listed["created_at"]}
        assert (await (await client.get(JOBS, params={"unsettled": "true"})).json())["data"] == []


@pytest.mark.each_engine
async def test_the_queue_is_bounded(make_client: ClientMaker) -> None:
    """More jobs than the settings allow are a 503, and so are more bytes."""
    async with IppPrinter().running() as printer:
        setting = office(printer)
    client = await make_client(printers=setting, print_jobs=1)
    assert (await client.post(JOBS, json=BODY)).status == 202
    refused = await client.post(JOBS, json=BODY)
    assert (refused.status, refused.headers["Retry-After"]) == (503, "30")


@pytest.mark.each_engine
async def test_jobs_that_arrive_at_once_are_queued(make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A burst of short jobs is limited by the queue of the printers, not by the places of label sheets."""
    async with IppPrinter().running() as printer:
        setting = office(printer)
    monkeypatch.setattr(service, "SHEET_QUEUE", 1)
    client = await make_client(printers=setting)
    responses = await asyncio.gather(*(client.post(JOBS, json=BODY) for _ in range(20)))
    assert {response.status for response in responses} == {202}


async def test_the_work_on_a_job_waits_for_that_on_other_bodies(make_client: ClientMaker) -> None:
    """Large jobs at once would hold the interpreter; the work on a job and on its rest is in the thread for bodies."""
    async with IppPrinter().running() as printer:
        setting = office(printer)
    client, earlier = await make_client(printers=setting), threading.Event()
    running = asyncio.create_task(client.app[SERVICE].body_thread.run(earlier.wait))
    asked = asyncio.create_task(client.post(JOBS, json=BODY))
    listed = [await client.get(JOBS) for _ in range(50)]
    earlier.set()
    await running
    assert [(await response.json())["data"] for response in listed] == 50 * [[]]
    assert (await asked).status == 202


async def test_an_unknown_printer_is_named_before_its_labels_arrive(client: Client, raw: Any) -> None:
    """A client does not send two megabytes for a printer that the service does not have."""
    head = b"POST /api/printers/none/jobs HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: 2000000\r\n\r\n"
    assert (await raw(client, head, b"there is no printer 'none'")).startswith(b"HTTP/1.1 404 ")


async def test_what_cannot_be_printed_is_refused(make_client: ClientMaker) -> None:
    """Nothing is queued of a request that names a wrong code, a page, or a product that is missing."""
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
        bad = await client.post(JOBS, json={"products": ["A-1", "x"], "code_type": "EAN13"})
        assert (bad.status, [each["field"] for each in (await bad.json())["details"]["errors"]]) == (
            400,
            ["products.0", "products.1"],
        )
        page = await client.post(JOBS, json={**BODY, "layout": {"page_size": "A4"}})
        assert (await page.json())["details"]["errors"][0]["field"] == "layout.page_size"
        roll = await client.post(JOBS, json={**BODY, "layout": {"sheet": "100x50mm"}})
        assert (await roll.json())["details"]["errors"][0]["field"] == "layout.sheet"
        missing = await client.post(JOBS, json={**BODY, "layout": {"include_description": True}})
        assert (missing.status, (await missing.json())["details"]["missing"]) == (404, ["A-1", "B-2"])
        assert (await (await client.get(JOBS)).json())["data"] == []


async def test_unknown_printers_and_jobs_are_not_found(make_client: ClientMaker) -> None:
    """Each is a 404 with the reason `not_found`, and so is a layout that is not saved."""
    async with IppPrinter().running() as printer:
        client = await make_client(printers=office(printer))
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
        created = (await (await client.post("/api/products", json=product)).json())["data"]
        body = {"products": ["A-1"], "layout": {"include_description": True}}
        job = (await (await client.post(JOBS, json=body)).json())["data"]
        await client.delete(f"/api/products/{created['id']}")
        printer.is_stopped = False
        assert (await over(client, job["id"]))["state"] == "printed"


WRONG = {
    "zebra": "address",
    "Zebra=zpl://h?label=50x30mm": "address",
    "a=zpl://u:secret@h?label=50x30mm": "password",
    "a=ftp://h?label=50x30mm": "begins with",
    "a=zpl://169.254.1.1?label=50x30mm": "link-local",
    "a=zpl://2852039167?label=50x30mm": "link-local",
    "a=zpl://169.254.1.1.?label=50x30mm": "link-local",
    "a=zpl://255.255.255.255?label=50x30mm": "broadcast",
    "a=zpl://[fe80::1]?label=50x30mm": "link-local",
    "a=ipp://[::ffff:169.254.1.1]/?label=50x30mm": "link-local",
    "a=ipp://0/?label=50x30mm": "unspecified",
    "a=zpl://h:0?label=50x30mm": "port",
    "a=zpl://h/path?label=50x30mm": "path",
    "a=zpl://?label=50x30mm": "host",
    "a=zpl://h": "label=",
    "a=zpl://h?sheet=L7160": "label=",
    "a=ipp://h?sheet=L7160&label=50x30mm": "not both",
    "a=ipp://h?sheet=L7160&sheet=L7160": "twice",
    "a=zpl://h?label=50x30mm&status=on": "auto or off",
    "a=ipps://h?label=50x30mm&fingerprint=12": "64 hexadecimal",
    "a=file://host/dev/lp0?label=50x30mm": "absolute path",
    "a=ipp://h?label=50x30mm,a=ipp://h?label=50x30mm": "two printers",
    "a=ipp://h?label=50x30mm&nix=1": "nix: no such option; there are label, sheet, dpi, status, graphics, fing",
    "a=ipp://h?label=50x30mm&dpi=few": "printer 'a': dpi: a whole number, such as 203",
    "a=ipp://h?label=50x30mm&dpi=203.5": "printer 'a': dpi: a whole number, such as 203",
    "a=ipp://h?label=50x30mm&offset_x=few": "offset_x: a number, such as 7 or 0.5",
    "a=ipp://h?label=50x30mm&darkness=31": "darkness: at most 30",
    "a=ipp://h?label=50x30mm&outlines=yes": "outlines: true or false",
    "a=ipp://h?label=50x30mm&graphics=z": "graphics: 'z64', 'acs' or 'hex'",
    "a=ipp://h?label=50x30mm&status=off": "status= is for zpl:// alone",
    "a=ipp://h?label=50x30mm&fingerprint=12": "fingerprint= is for ipps:// alone",
    "a=ipp://h?label=50x30mm&offset_x=0,5": "printer 2: a name .*; a number has a point, because a comma begins",
    "a=ipp://h?label=50x30mm,Zebra=zpl://h?label=50x30mm": "printer 2: 'Zebra': a name has 1-32",
    "a=zpl://u:sec,secret@h?label=50x30mm": "printer 'a': .*; printer 2: a name",
    "a=ipp://h?label=2x3mm": "5 to 1200",
    "a=ipp://h?sheet=L716": "did you mean",
    "a=zpl://h?label=500x500mm&dpi=600": "139 million dots at 600 dpi",
    "a=ipp://h?label=50x30mm#x": "#",
}


@sweep(("text", "said"), WRONG.items())
def test_a_wrong_printer_stops_the_start(text: str, said: str) -> None:
    """The message says what is wrong, and repeats no password."""
    with pytest.raises(StartError, match=said) as stopped:
        printer_layouts(load_settings({"BARCODESVC_PRINTERS": text}))
    assert "secret" not in str(stopped.value)


def test_no_printers_are_needed() -> None:
    """By default there are none."""
    assert Settings().printers == ()
