"""Jobs to real printer programs: CUPS's `ippeveprinter`, and LPrint with a simulated ZPL printer behind it."""

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fixture_types import Client, ClientMaker
from tests.printers.queued import free_port
from tests.servers.label_printer import Behaviour, LabelPrinter

pytestmark = pytest.mark.full_run

WAIT = 60.0


@contextmanager
def running(*command: str, **variables: str) -> Iterator[None]:
    """Run a program within the block."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env={**os.environ, **variables}, **quiet)  # type: ignore[call-overload]  # noqa: S603 - fixed text
    try:
        yield
    finally:
        process.terminate()
        process.wait()


async def printed(client: Client, name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Print labels and return the job once it is over."""
    path = f"/api/printers/{name}/jobs"
    job = (await (await client.post(path, json=body)).json())["data"]
    async with asyncio.timeout(WAIT):
        while job["state"] in ("waiting", "sending"):
            await asyncio.sleep(0.1)
            job = (await (await client.get(f"{path}/{job['id']}")).json())["data"]
    found: dict[str, Any] = job
    return found


BUS = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>custom</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/><allow user="*"/>
  </policy>
</busconfig>
"""


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[str]:
    """Return the address of a private bus of messages, without which `ippeveprinter` does not start."""
    if shutil.which("dbus-daemon") is None:
        pytest.skip("dbus-daemon is not installed")
    path, config = tmp_path / "bus", tmp_path / "bus.conf"
    config.write_text(BUS.format(path=path))
    with running("dbus-daemon", "--nofork", f"--config-file={config}"):
        while not path.exists():
            time.sleep(0.02)
        yield f"unix:path={path}"


@pytest.mark.skipif(shutil.which("ippeveprinter") is None, reason="ippeveprinter (cups-ipp-utils) is not installed")
async def test_ippeveprinter_prints_labels(make_client: ClientMaker, tmp_path: Path, bus: str) -> None:
    """CUPS's own printer program accepts a job, and says that it is completed; a job for other media waits."""
    port, spool = free_port(), tmp_path / "spool"
    spool.mkdir()
    formats = "application/pdf,image/pwg-raster"
    command = ("ippeveprinter", "-p", str(port), "-d", str(spool), "-k", "-f", formats, "-r", "off", "labels")
    with running(*command, DBUS_SYSTEM_BUS_ADDRESS=bus):
        address = f"ipp://127.0.0.1:{port}/ipp/print"
        client = await make_client(printers=(f"office={address}?sheet=5160", f"roll={address}?label=50x30mm"))
        path = "/api/printers/roll/jobs"
        job = (await (await client.post(path, json={"products": ["A-1"]})).json())["data"]
        async with asyncio.timeout(WAIT):
            while not job["message"]:
                job = (await (await client.get(f"{path}/{job['id']}")).json())["data"]
        assert job["message"].startswith("the printer has 215.9x279.4mm or ")
        job = await printed(client, "office", {"products": [{"code": "A-1", "copies": 20}]})
        async with asyncio.timeout(WAIT):
            while {each["state"] for each in (await (await client.get("/api/printers")).json())["data"]} != {"ready"}:
                pass
    assert (job["state"], job["labels_sure"]) == ("printed", 20)
    [document] = spool.glob("*.pdf")
    assert document.read_bytes().startswith(b"%PDF")


@asynccontextmanager
async def lprint(tmp_path: Path, port: int, driver: str) -> AsyncIterator[str]:
    """Run LPrint within the block with a printer, `label`, on a port of this machine, and return its address."""
    own = free_port()
    server, home = f"ipp://localhost:{own}/", {"HOME": str(tmp_path)}
    options = ("-o", f"server-port={own}", "-o", "server-hostname=localhost", "-o", f"spool-directory={tmp_path}")
    with running("lprint", "server", *options, **home):
        device = ("-v", f"socket://127.0.0.1:{port}", "-m", driver)
        await added("lprint", "add", "-d", "label", *device, "-u", server, **home)
        yield f"{server}ipp/print/label"


WITH_LPRINT = pytest.mark.skipif(shutil.which("lprint") is None, reason="LPrint is not installed")


@WITH_LPRINT
async def test_lprint_prints_labels_on_a_zpl_printer(make_client: ClientMaker, tmp_path: Path) -> None:
    """A job waits while LPrint tells that there is no paper, and is sent, not printed: LPrint knows no more."""
    async with (
        LabelPrinter(Behaviour(paper_out=True)).running() as printer,
        lprint(tmp_path, printer.port, "zpl_4inch-203dpi-dt") as address,
    ):
        client = await make_client(printers=(f"zebra={address}?label=50x30mm&dpi=203",))
        printing = asyncio.create_task(printed(client, "zebra", {"products": ["A-1", "A-2", "A-3"]}))
        await told(client, "out_of_paper")
        assert printer.printed == []
        printer.behaviour.paper_out = False
        job = await printing
        await told(client, "ready")
    assert (job["state"], job["labels_sure"], job["labels_unsure"], job["message"]) == ("sent", 0, 3, "")
    assert len([label for label in printer.printed if b"^XG" in label]) == 3


@WITH_LPRINT
@pytest.mark.parametrize(
    ("driver", "options", "label_end"),
    [("dymo_lw-450", "label=54x25mm&dpi=300", b"\x1bE"), ("epl2_4inch-203dpi-dt", "label=50x30mm&dpi=203", b"P1\n")],
)
async def test_lprint_drives_printers_of_other_makers(
    make_client: ClientMaker, tmp_path: Path, driver: str, options: str, label_end: bytes
) -> None:
    """The printer gets labels in its own language."""
    received = bytearray()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            received.extend(data)
        writer.close()

    async with (
        await asyncio.start_server(take, "127.0.0.1", 0) as device,
        lprint(tmp_path, device.sockets[0].getsockname()[1], driver) as address,
    ):
        client = await make_client(printers=(f"label={address}?{options}",))
        job = await printed(client, "label", {"products": ["A-1", "A-2", "A-3"]})
    assert (job["state"], received.count(label_end)) == ("sent", 3)


async def told(client: Client, state: str) -> None:
    """Wait until the service tells this state of its only printer."""
    async with asyncio.timeout(WAIT):
        while (await (await client.get("/api/printers")).json())["data"][0]["state"] != state:  # noqa: ASYNC110 - the service tells no event
            await asyncio.sleep(0.1)


async def added(*command: str, **variables: str) -> None:
    """Run a command until it succeeds: the server that it asks may be starting."""
    async with asyncio.timeout(WAIT):
        while True:
            process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **variables})
            if await process.wait() == 0:
                return
            await asyncio.sleep(0.1)
