"""Load shedding before the HTTP parser: what a packet asks for, where it is one whole request and nothing else.

Without it, at three times the capacity for new barcodes, 56 % of the peak is still answered instead of 70 %: most
requests are refused then, and what that costs is taken from those that are answered.

Rule: what is not plainly one whole request, with one length and no other framing (RFC 9112, clause 6), is left to the
parser. A packet that is taken for a request here is refused and changes nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from barcodesvc.api.guard.admission import request_kind

_HEADS_REMEMBERED = 1024
_LONGEST_REMEMBERED = 1024
"""Bytes of the longest head that is looked at; a client sends the same one again and again, so it is remembered."""
_HEAD = re.compile(rb"(GET|POST|PUT|DELETE) (/[!-~]*) HTTP/1\.1\r\n((?:[!-9;-~]+:[^\r\n\0]*\r\n)+)\r\n")
_LENGTH = re.compile(rb"^content-length:[ \t]*([0-9]{1,9})[ \t]*\r$", re.MULTILINE)
_NOT_PLAIN = re.compile(rb"\n(?:transfer-encoding|expect|upgrade|origin|connection:[^\r]*close)")
"""Other framing, what ends the connection, and a browser's request of another origin, whose refusal has to say more."""


def kind_in(packet: bytes) -> str | None:
    """Return the kind of the one request that the packet is, as `admission.kind_of` does, or None."""
    end = packet.find(b"\r\n\r\n") + 4
    request = _request(packet[:end]) if end <= _LONGEST_REMEMBERED else None
    return request.kind if request and len(packet) == end + request.length else None


class _Request(NamedTuple):
    kind: str
    length: int
    """Bytes of its body."""


@lru_cache(maxsize=_HEADS_REMEMBERED)
def _request(head: bytes) -> _Request | None:
    parts = _HEAD.fullmatch(head)
    if parts is None:
        return None
    fields = b"\n" + parts[3].lower()
    if _NOT_PLAIN.search(fields) or fields.count(b"\nhost:") != 1:
        return None
    lengths = _LENGTH.findall(fields)
    if len(lengths) != fields.count(b"\ncontent-length") or len(lengths) > 1:
        return None
    return _Request(request_kind(parts[1].decode(), parts[2].decode()), int(lengths[0] if lengths else 0))
