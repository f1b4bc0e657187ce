"""A ZPL printer on a device file such as `/dev/usb/lp0`, which reports nothing.

Rule: the file is opened without waiting and without creating it, so that a printer that is off delays nothing.
"""

import asyncio
import errno
import os

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printer_addresses import PrinterAddress
from barcodesvc.printers.connection import (
    PROGRESS_WAIT,
    BrokenOffError,
    Connection,
    Document,
    NotReachableError,
)

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_PIECE = 16 * 1024
_PAUSE = 0.05


class DeviceFile(Connection):
    """An open device; made by `open_device`."""

    def __init__(self, address: PrinterAddress, device: int) -> None:
        self._path = address.path
        self._device = device

    async def poll(self) -> PrinterState:
        """Check that the device is still there."""
        if not await asyncio.to_thread(os.path.exists, self._path):
            raise NotReachableError("the device is gone")
        return self.state

    async def send(self, document: Document) -> None:
        """Write a document, piece by piece as the device takes it."""
        left = memoryview(document.content)
        while left:
            try:
                left = left[await self._written(left[:_PIECE]) :]
            except OSError as error:
                problem = f"the device failed: {error.strerror}"
                if len(left) == len(document.content):
                    raise NotReachableError(problem) from error
                raise BrokenOffError(problem) from error

    async def close(self) -> None:
        """Close the device."""
        await asyncio.to_thread(os.close, self._device)

    async def _written(self, piece: memoryview) -> int:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        while True:
            try:
                return await asyncio.to_thread(os.write, self._device, piece)
            except BlockingIOError:
                if loop.time() - begun > PROGRESS_WAIT:
                    raise TimeoutError(errno.ETIMEDOUT, f"it took nothing for {PROGRESS_WAIT:g} s") from None
            await asyncio.sleep(_PAUSE)


async def open_device(address: PrinterAddress) -> DeviceFile:
    """Open a device; raises NotReachableError."""
    try:
        return DeviceFile(address, await asyncio.to_thread(os.open, address.path, _FLAGS))
    except OSError as error:
        raise NotReachableError(f"{address.path} cannot be opened: {error.strerror}") from error
