import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from barcodesvc.printer_addresses import printer_of
from barcodesvc.printers import device_file
from barcodesvc.printers.connection import ZPL, BrokenOffError, Document, NotReachableError
from barcodesvc.printers.device_file import open_device

CAPACITY = 4096


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a device that takes CAPACITY bytes and then nothing, and whose limit without progress is short."""
    monkeypatch.setattr(device_file, "PROGRESS_WAIT", 0.2)
    path = tmp_path / "lp0"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, CAPACITY)
    yield path
    os.close(reader)


async def test_a_device_that_takes_nothing_gets_the_document_later(device: Path) -> None:
    """Nothing of it went out, so it can be sent again; one that stopped in the middle leaves doubt."""
    connection = await open_device(printer_of(f"usb=file://{device}?label=50x30mm"))
    with pytest.raises(BrokenOffError, match="took nothing"):
        await connection.send(Document(9, ZPL, b"x" * (CAPACITY + 1)))
    with pytest.raises(NotReachableError, match="took nothing"):
        await connection.send(Document(1, ZPL, b"x"))
    await connection.close()
