"""Jobs to real printer programs: CUPS's `ippeveprinter`, and LPrint with a simulated ZPL printer behind it."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scripts.servers.label_printer import Behaviour, LabelPrinter
from tests.conftest import Client, ClientMaker
from tests.printers.queued import free_port

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
    """CUPS's own printer program accepts a job, and says that it is completed; media that it lacks it refuses."""
    port, spool = free_port(), tmp_path / "spool"
    spool.mkdir()
    formats = "application/pdf,image/pwg-raster"
    command = ("ippeveprinter", "-p", str(port), "-d", str(spool), "-k", "-f", formats, "-r", "off", "labels")
    with running(*command, DBUS_SYSTEM_BUS_ADDRESS=bus):
        address = f"ipp://127.0.0.1:{port}/ipp/print"
        client = await make_client(printers=(f"office={address}?sheet=L7160", f"roll={address}?label=50x30mm"))
        refused = await printed(client, "roll", {"products": ["A-1"]})
        job = await printed(client, "office", {"products": [{"code": "A-1", "copies": 40}]})
        states = {each["state"] for each in (await (await client.get("/api/printers")).json())["data"]}
    assert (refused["state"], "media-col" in refused["message"]) == ("failed", True)
    assert (job["state"], job["labels_sure"], states) == ("printed", 40, {"ready"})
    [document] = spool.glob("*.pdf")
    assert document.read_bytes().startswith(b"%PDF")


@pytest.mark.skipif(shutil.which("lprint") is None, reason="LPrint is not installed")
async def test_lprint_prints_labels_on_a_zpl_printer(make_client: ClientMaker, tmp_path: Path) -> None:
    """LPrint takes PWG raster, drives the printer behind it, and says that the job is completed."""
    port = free_port()
    server = f"ipp://localhost:{port}/"
    options = ("-o", f"server-port={port}", "-o", "server-hostname=localhost", "-o", f"spool-directory={tmp_path}")
    async with LabelPrinter(Behaviour(status="silent")).running() as printer:
        with running("lprint", "server", *options, HOME=str(tmp_path)):
            device = ("-v", f"socket://127.0.0.1:{printer.port}", "-m", "zpl_4inch-203dpi-dt")
            await added("lprint", "add", "-d", "zebra", *device, "-u", server, HOME=str(tmp_path))
            client = await make_client(
                printers=(f"zebra=ipp://localhost:{port}/ipp/print/zebra?label=50x30mm&dpi=203",)
            )
            job = await printed(client, "zebra", {"products": ["A-1", "A-2", "A-3"]})
    assert (job["state"], job["labels_sure"], job["message"]) == ("printed", 3, "")
    assert len([label for label in printer.printed if b"^XG" in label]) == 3


async def added(*command: str, **variables: str) -> None:
    """Run a command until it succeeds: the server that it asks may be starting."""
    async with asyncio.timeout(WAIT):
        while True:
            process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **variables})
            if await process.wait() == 0:
                return
            await asyncio.sleep(0.1)
