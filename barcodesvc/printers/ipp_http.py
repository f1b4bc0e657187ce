"""HTTP/1.1 to an IPP printer: one POST after another over a connection that is kept as long as the printer keeps it.

What answers at a printer's address on the network is trusted no more than a client. So h11, which does no input and
output itself, gets a response in small pieces and up to a limit of bytes, and nothing is decompressed. A complete HTTP
client has no such limit: a printer that never stops sending would occupy the whole event loop.

Rule: whatever is wrong with a response raises NotReachableError; the caller limits the time.
"""

import asyncio
import hashlib
import ssl
from contextlib import suppress

import h11

from barcodesvc.printer_addresses import PrinterAddress
from barcodesvc.printers.connection import NotReachableError, cause_of, open_streams
from barcodesvc.printers.ipp_messages import LONGEST

_OK = 200
_READ_AT_ONCE = 4 * 1024
_PIECE = 32 * 1024
"""Bytes that are written at once, and that the system buffers; fewer would be slow on a network with high latency."""


class HttpConnection:
    """A connection to the host of an address; `taken_at` is when it last took a piece, in the seconds of the loop."""

    def __init__(self, address: PrinterAddress) -> None:
        self.taken_at = 0.0
        self._address = address
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._http = h11.Connection(h11.CLIENT)

    async def posted(self, content: bytes) -> bytes:
        """Post a message, and return the response to it."""
        reader, writer = await self.opened()
        writer.write(self._http.send(self._head(len(content))))
        sending = asyncio.create_task(self._send(writer, content))
        try:
            return await self._received(reader)  # a printer may refuse a message before it has all of it
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            if self._http.our_state is self._http.their_state is h11.DONE:
                self._http.start_next_cycle()
            else:
                self.close()

    async def opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return the two directions of the connection, opened unless the printer has kept it; nothing is sent yet."""
        if self._streams is not None and (self._streams[0].at_eof() or self._streams[1].is_closing()):
            self.close()
        if self._streams is None:
            self._streams, self._http = await _opened(self._address), h11.Connection(h11.CLIENT)
        self.taken_at = asyncio.get_running_loop().time()
        return self._streams

    def close(self) -> None:
        """Close the connection at once; the next message opens another one."""
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None

    def _head(self, length: int) -> h11.Request:
        host = str(self._address).partition("://")[2].partition("/")[0]
        headers = {"Host": host, "Content-Type": "application/ipp", "Accept-Encoding": "identity"}
        headers["Content-Length"] = str(length)
        return h11.Request(method="POST", target=self._address.path or "/", headers=list(headers.items()))

    async def _send(self, writer: asyncio.StreamWriter, content: bytes) -> None:
        with suppress(OSError):  # the wait for the response reports it
            for start in range(0, len(content), _PIECE):
                writer.write(self._http.send(h11.Data(content[start : start + _PIECE])))
                await writer.drain()
                self.taken_at = asyncio.get_running_loop().time()
            self._http.send(h11.EndOfMessage())

    async def _received(self, reader: asyncio.StreamReader) -> bytes:
        body, left = bytearray(), LONGEST
        try:
            while left > 0:
                await asyncio.sleep(0)  # what is buffered already is read without a turn of the event loop
                piece = await reader.read(_READ_AT_ONCE)
                left -= len(piece)
                self._http.receive_data(piece)
                while (event := self._http.next_event()) is not h11.NEED_DATA:
                    if isinstance(event, h11.Response) and event.status_code != _OK:
                        raise NotReachableError(f"the printer answers with HTTP status {event.status_code}")
                    if isinstance(event, h11.Data):
                        body += event.data
                    if isinstance(event, h11.EndOfMessage):
                        return bytes(body)
        except h11.RemoteProtocolError as error:
            _, is_closed = self._http.trailing_data
            said = "the printer has closed the connection" if is_closed else "the printer's response is not HTTP"
            raise NotReachableError(said) from error
        except OSError as error:
            raise NotReachableError(f"the printer cannot be reached: {cause_of(error)}") from error
        raise NotReachableError(f"the printer's response is longer than {LONGEST} bytes")


async def _opened(address: PrinterAddress) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect, and check the certificate; raises NotReachableError."""
    streams = await open_streams(address, _PIECE, _tls(address))
    if address.fingerprint is not None:
        certificate = streams[1].get_extra_info("ssl_object").getpeercert(binary_form=True)
        if hashlib.sha256(certificate or b"").digest() != address.fingerprint:
            streams[1].transport.abort()
            raise NotReachableError("the printer's certificate is not the one that fingerprint= names")
    return streams


def _tls(address: PrinterAddress) -> ssl.SSLContext | None:
    if address.scheme != "ipps":
        return None
    context = ssl.create_default_context()
    if address.fingerprint is not None:  # it is compared instead
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
