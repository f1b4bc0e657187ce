"""Request header validation: what every head is held to before anything else, and the type of its body.

A body that is inflated while it arrives makes a gigabyte of a megabyte, also where the rest of a refused one is thrown
away. So nothing is ever inflated (`auto_decompress` in `connections`), and whoever sends an encoded body gets a 400.

Rule: no header costs more than its length. aiohttp reads a Content-Type with a parser of the standard library, whose
time grows with the square; so the service reads the type itself, and bounds the header for what else reads it.
"""

from __future__ import annotations

from aiohttp import HttpVersion11, hdrs, web

from barcodesvc.api.keys import OTHER_VERSION
from barcodesvc.api.refusals import repeatable_text
from barcodesvc.errors import FieldProblem, InvalidInput

LONGEST_CONTENT_TYPE = 200
"""Characters of a Content-Type; a boundary has at most 70 (RFC 2046, clause 5.1.1)."""


def require_plain_head(request: web.BaseRequest) -> None:
    """Raise InvalidInput for another version of HTTP, its framing, an encoded body, or a type that is too long."""
    if request.version != HttpVersion11 and OTHER_VERSION in request:
        raise InvalidInput("the service speaks versions 1.0 and 1.1 of HTTP; send the request as one of these")
    headers = request.headers
    problems = []
    framing = headers.get(hdrs.TRANSFER_ENCODING)
    if framing is not None and (wrong := _wrong_framing(request, framing)):
        problems.append(FieldProblem(hdrs.TRANSFER_ENCODING, wrong))
    if hdrs.CONTENT_ENCODING in headers:
        problems.append(FieldProblem(hdrs.CONTENT_ENCODING, "bodies are not decoded; send this one as it is"))
    if len(headers.get(hdrs.CONTENT_TYPE, "")) > LONGEST_CONTENT_TYPE:
        problems.append(FieldProblem(hdrs.CONTENT_TYPE, f"longer than {LONGEST_CONTENT_TYPE} characters"))
    if problems:
        raise InvalidInput.of(*problems)


def _wrong_framing(request: web.BaseRequest, framing: str) -> str | None:
    """Return what is wrong with a Transfer-Encoding (RFC 9112, clause 6.1)."""
    if request.version < HttpVersion11:
        return "needs version 1.1 of HTTP; send the body with its Content-Length"
    return None if framing.lower() == "chunked" else "bodies are not decoded; send this one as chunked alone"


def media_type(request: web.BaseRequest) -> str:
    """Return the type of the body in lower case and without parameters; empty where none is given."""
    return request.headers.get(hdrs.CONTENT_TYPE, "").partition(";")[0].strip().lower()


def named_type(request: web.BaseRequest) -> str:
    """Return the type of the body as a refusal can name it."""
    return repeatable_text(media_type(request)) or "a body without a Content-Type"
