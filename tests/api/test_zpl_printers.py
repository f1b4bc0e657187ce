import asyncio
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.fixture_types import Client, ClientMaker
from tests.servers.label_printer import LabelPrinter

FORMAT = re.compile(rb"\^XA(.*?)\^XZ", re.DOTALL)
CODES = [f"A-{number}" for number in range(60)]
LAYOUT = {"sheet": "50x30mm", "dpi": 203}


async def over(client: Client, name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Print labels and return the job once it is over."""
    path = f"/api/printers/{name}/jobs"
    return await ended(client, name, (await (await client.post(path, json=body)).json())["data"])


async def ended(client: Client, name: str, job: dict[str, Any]) -> dict[str, Any]:
    """Wait until a job is over, and return it."""
    path = f"/api/printers/{name}/jobs"
    async with asyncio.timeout(30):
        while job["state"] in ("waiting", "sending"):
            await asyncio.sleep(0.02)
            job = (await (await client.get(f"{path}/{job['id']}")).json())["data"]
    return job


async def zpl(client: Client, products: list[Any], **layout: object) -> list[bytes]:
    """Return the labels that the service writes as a file, copies as one."""
    body = {"products": products, "layout": {**LAYOUT, **layout}, "output": "zpl"}
    return FORMAT.findall(await (await client.post("/api/codes/printable", json=body)).read())


async def test_a_label_printer_prints_what_a_file_has(make_client: ClientMaker) -> None:
    """The labels are those of printable, in order, under the options of the printer; the metrics count them."""
    async with LabelPrinter().running() as printer:
        client = await make_client(
            printers=(f"zebra=zpl://127.0.0.1:{printer.port}?label=50x30mm&dpi=203&darkness=20",)
        )
        job = await over(client, "zebra", {"products": CODES})
        assert (job["state"], job["labels_sure"]) == ("printed", len(CODES))
        assert printer.printed == await zpl(client, CODES, darkness=20)
        scraped = await (await client.get("/metrics")).text()
    assert 'barcodesvc_print_jobs_total{printer="zebra",state="printed"} 1.0' in scraped
    assert 'barcodesvc_printed_labels_total{printer="zebra"} 60.0' in scraped


async def test_labels_of_a_saved_layout_are_numbered_in_a_row(make_client: ClientMaker) -> None:
    """A job uses a layout by name, with its image, counts over its documents, and goes on with the rest of a job."""
    layout = {"sheet": "50x30mm", "dpi": 300, "image": {"name": "logo", "width": 8}, "lines": ["{n:03} of shelf 7"]}
    file = BytesIO()
    Image.new("1", (32, 32)).save(file, "PNG")
    async with LabelPrinter().running() as printer:
        client = await make_client(printers=(f"zebra=zpl://127.0.0.1:{printer.port}?label=50x30mm&dpi=203",))
        await client.put("/api/codes/images/logo", data=file.getvalue(), headers={"Content-Type": "image/png"})
        await client.put("/api/codes/layouts/shelf", json=layout)
        job = await over(client, "zebra", {"products": CODES, "layout": {"name": "shelf", "number_from": 8}})
        expected = await zpl(client, CODES, **{**layout, "dpi": 203, "number_from": 8})
        assert (job["state"], printer.printed) == ("printed", expected)
        assert len(set(expected)) == len(CODES)
        again = await client.post(f"/api/printers/zebra/jobs/{job['id']}/resend", json={"from_label": 55})
        await ended(client, "zebra", (await again.json())["data"])
    assert printer.printed[60:] == expected[54:]


async def test_copies_are_labels(make_client: ClientMaker) -> None:
    """The printer repeats equal labels itself, and each counts."""
    async with LabelPrinter().running() as printer:
        client = await make_client(printers=(f"zebra=zpl://127.0.0.1:{printer.port}?label=50x30mm&dpi=203",))
        job = await over(client, "zebra", {"products": [{"code": "A-1", "copies": 120}, "B-1"]})
        assert (job["state"], job["labels_sure"]) == ("printed", 121)
    assert len(printer.printed) == 121
    assert len(set(printer.printed[:50])) == 1
    assert printer.received < 20_000


async def test_a_device_file_gets_the_labels(make_client: ClientMaker, tmp_path: Path) -> None:
    """It tells nothing, so the job is sent, not printed."""
    device = tmp_path / "lp0"
    device.touch()
    client = await make_client(printers=(f"usb=file://{device}?label=50x30mm&dpi=203",))
    job = await over(client, "usb", {"products": CODES})
    [listed] = (await (await client.get("/api/printers")).json())["data"]
    assert (job["state"], job["labels_sure"], job["labels_unsure"]) == ("sent", 0, len(CODES))
    assert (listed["kind"], listed["state"]) == ("file", "unknown")
    assert FORMAT.findall(device.read_bytes()) == await zpl(client, CODES)


async def test_a_device_that_is_missing_is_not_made(make_client: ClientMaker, tmp_path: Path) -> None:
    """Its jobs wait until it is plugged in."""
    client = await make_client(printers=(f"usb=file://{tmp_path / 'lp0'}?label=50x30mm",))
    await client.post("/api/printers/usb/jobs", json={"products": ["A-1"]})
    [listed] = (await (await client.get("/api/printers")).json())["data"]
    assert (listed["state"], listed["jobs_waiting"]) == ("not_reachable", 1)
    assert not (tmp_path / "lp0").exists()


@pytest.mark.parametrize("sheet", ["L7160", "100x50mm"])
async def test_other_labels_than_those_in_the_printer_are_refused(make_client: ClientMaker, sheet: str) -> None:
    """A request that names a sheet, or another roll, is refused before anything is queued."""
    client = await make_client(printers=("zebra=zpl://127.0.0.1:9?label=50x30mm",))
    refused = await client.post("/api/printers/zebra/jobs", json={"products": ["A-1"], "layout": {"sheet": sheet}})
    [problem] = (await refused.json())["details"]["errors"]
    assert (refused.status, problem["field"]) == (400, "layout.sheet")
    assert problem["message"] == "the printer has 50x30mm, which is another page"


SHEET = {"sheet": "L7160", "start_position": 4, "offset_x": 5, "dpi": 600, "font_size": 7}
GRID = {"page_size": "A4", "labels_per_row": 2, "label_width": 90, "label_height": 50, "margin_left": 9, "font_size": 7}


@pytest.mark.parametrize("saved", [SHEET, GRID, {"start_position": 4, "font_size": 7}])
async def test_a_layout_of_a_sheet_prints_on_a_roll(make_client: ClientMaker, saved: dict[str, object]) -> None:
    """A saved one gives what is on the labels; the printer has its own labels, and its own dots."""
    async with LabelPrinter().running() as printer:
        client = await make_client(printers=(f"zebra=zpl://127.0.0.1:{printer.port}?label=50x30mm&dpi=300",))
        await client.put("/api/codes/layouts/shelf", json=saved)
        for layout in ("shelf", {"name": "shelf", "sheet": "50x30mm", "dpi": 203}):
            job = await over(client, "zebra", {"products": ["A-1"], "layout": layout})
            assert (job["state"], job["labels_sure"]) == ("printed", 1)
        assert printer.printed == 2 * await zpl(client, ["A-1"], dpi=300, font_size=7)


async def test_a_saved_layout_of_the_same_roll_keeps_its_offset(make_client: ClientMaker) -> None:
    """It was made for these labels."""
    async with LabelPrinter().running() as printer:
        client = await make_client(printers=(f"zebra=zpl://127.0.0.1:{printer.port}?label=50x30mm&dpi=203",))
        await client.put("/api/codes/layouts/shelf", json={"sheet": "50x30mm", "offset_x": 1})
        await over(client, "zebra", {"products": ["A-1"], "layout": "shelf"})
        assert printer.printed == await zpl(client, ["A-1"], offset_x=1)
