"""HTTP/1.1 to an IPP printer: one POST after another over a connection that is kept as long as the printer keeps it.

What answers for a printer's address in the network is no more trusted than a client. So a response is read in small
pieces and has a limit of bytes, chunks and interim responses, and nothing is decompressed. A library for HTTP has none
of these limits: a printer that sends without end would take the whole event loop.

Rule: whatever is wrong with a response raises NotReachableError; the caller limits the time.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import ssl
from contextlib import suppress

from barcodesvc.printer_addresses import PrinterAddress
from barcodesvc.printers.connection import NotReachableError, cause_of, open_streams
from barcodesvc.printers.ipp_messages import LONGEST

_LONGEST_HEAD = 16 * 1024
"""Bytes of the longest head or line of a response; no more than twice as many wait to be read."""
_MOST_INTERIM = 4
_MOST_CHUNKS = 2048
_REST = 64
"""Chunks after which the event loop has a turn."""
_OK = 200
_STATUS = re.compile(rb"HTTP/1\.[01] ([1-9][0-9]{2})(?: [^\r\n]*)?")
_LENGTH = re.compile(r"[0-9]{1,9}")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")
_PIECE = 32 * 1024
"""Bytes that are written at once, and that the system buffers; fewer would be slow on a network with long delays."""


class HttpConnection:
    """A connection to the host of an address; `taken_at` is when it last took a piece, in the seconds of the loop."""

    def __init__(self, address: PrinterAddress) -> None:
        self.taken_at = 0.0
        self._address = address
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def posted(self, content: bytes) -> bytes:
        """Post a message, and return the response to it."""
        reader, writer = await self.opened()
        try:
            sending = asyncio.create_task(self._send(writer, content))
            try:
                body = await self._received(reader)  # a printer may refuse a message before it has all of it
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
        except BaseException:
            self.close()
            raise
        if sending.cancelled():
            self.close()
        return body

    async def opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return the two directions of the connection, opened unless the printer has kept it; nothing is sent yet."""
        if self._streams is not None and (self._streams[0].at_eof() or self._streams[1].is_closing()):
            self.close()
        if self._streams is None:
            self._streams = await _opened(self._address)
        self.taken_at = asyncio.get_running_loop().time()
        return self._streams

    def close(self) -> None:
        """Close the connection at once; the next message opens another one."""
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None

    async def _send(self, writer: asyncio.StreamWriter, content: bytes) -> None:
        host = str(self._address).partition("://")[2].partition("/")[0]
        lines = (f"POST {self._address.path or '/'} HTTP/1.1", f"Host: {host}", "Content-Type: application/ipp")
        head = "\r\n".join((*lines, "Accept-Encoding: identity", f"Content-Length: {len(content)}", "", ""))
        with suppress(OSError):  # the wait for the response says it
            writer.write(head.encode())
            for start in range(0, len(content), _PIECE):
                writer.write(content[start : start + _PIECE])
                await writer.drain()
                self.taken_at = asyncio.get_running_loop().time()

    async def _received(self, reader: asyncio.StreamReader) -> bytes:
        try:
            status, headers = await _final_head(reader)
            if status != _OK:
                raise NotReachableError(f"the printer answers with HTTP status {status}")
            body = await _body(reader, headers)
        except asyncio.IncompleteReadError as error:
            raise NotReachableError("the printer has closed the connection") from error
        except asyncio.LimitOverrunError as error:
            raise NotReachableError("the response of the printer has lines that are too long") from error
        except OSError as error:
            raise NotReachableError(f"the printer cannot be reached: {cause_of(error)}") from error
        has_end = "transfer-encoding" in headers or "content-length" in headers
        if "close" in headers.get("connection", "").lower() or not has_end:
            self.close()
        return body


async def _opened(address: PrinterAddress) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect, and check the certificate; raises NotReachableError."""
    streams = await open_streams(address, _LONGEST_HEAD, _PIECE, _tls(address))
    if address.fingerprint is not None:
        certificate = streams[1].get_extra_info("ssl_object").getpeercert(binary_form=True)
        if hashlib.sha256(certificate or b"").digest() != address.fingerprint:
            streams[1].transport.abort()
            raise NotReachableError("the printer has another certificate than the one of fingerprint=")
    return streams


def _tls(address: PrinterAddress) -> ssl.SSLContext | None:
    if address.scheme != "ipps":
        return None
    context = ssl.create_default_context()
    if address.fingerprint is not None:  # it is compared instead
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


async def _final_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Return the status and the headers of the response after the interim ones (RFC 9110, 15.2)."""
    for _ in range(_MOST_INTERIM + 1):
        first, *lines = (await reader.readuntil(b"\r\n\r\n"))[:-4].split(b"\r\n")
        found = _STATUS.fullmatch(first)
        if found is None:
            raise NotReachableError("the response of the printer is no HTTP")
        if int(found[1]) >= _OK:
            parts = (line.decode("latin-1").partition(":") for line in lines)
            return int(found[1]), {name.strip().lower(): value.strip() for name, _, value in parts}
    raise NotReachableError("the printer answers with interim responses alone")


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise NotReachableError("the response of the printer is compressed, although it was asked for a plain one")
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await _chunks(reader)
    length = headers.get("content-length")
    if length is None:
        return await _rest(reader)
    if not _LENGTH.fullmatch(length) or int(length) > LONGEST:
        raise _too_long()
    return await reader.readexactly(int(length))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    for number in range(_MOST_CHUNKS):
        if number % _REST == 0:
            await asyncio.sleep(0)
        found = _CHUNK_SIZE.fullmatch(await reader.readuntil(b"\r\n"))
        if found is None or len(body) + int(found[1], 16) > LONGEST:
            raise _too_long()
        if not int(found[1], 16):
            await _trailers(reader)
            return bytes(body)
        body += (await reader.readexactly(int(found[1], 16) + 2))[:-2]
    raise _too_long()


async def _trailers(reader: asyncio.StreamReader) -> None:
    for _ in range(_REST):
        if await reader.readuntil(b"\r\n") == b"\r\n":
            return
    raise _too_long()


async def _rest(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while piece := await reader.read(_LONGEST_HEAD):
        body += piece
        if len(body) > LONGEST:
            raise _too_long()
    return bytes(body)


def _too_long() -> NotReachableError:
    return NotReachableError(f"the response of the printer is no HTTP, or longer than {LONGEST} bytes")
