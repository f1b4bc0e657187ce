"""What the head of every request is held to, before anything else is made of it; and the type of the body it tells.

A body that is inflated while it arrives makes a gigabyte of a megabyte, also where the rest of a refused one is thrown
away. So nothing is ever inflated (`auto_decompress` in `connections`), and whoever sends an encoded body is told so.

Rule: no header costs more than its length. aiohttp reads a Content-Type with a parser of the standard library, whose
time grows with the square; so the service reads the type itself, and bounds the header for what else reads it.
"""

from __future__ import annotations

from aiohttp import HttpVersion11, hdrs, web

from barcodesvc.api.refusals import repeatable_text
from barcodesvc.errors import FieldProblem, InvalidInput

LONGEST_CONTENT_TYPE = 200
"""Characters of a Content-Type; a boundary has at most 70 (RFC 2046, clause 5.1.1)."""


def require_plain_head(request: web.BaseRequest) -> None:
    """Raise InvalidInput for an encoded body, a framing of another version of HTTP, or a type that is too long."""
    problems = []
    if request.version < HttpVersion11 and hdrs.TRANSFER_ENCODING in request.headers:  # RFC 9112, clause 6.1
        wrong = "needs version 1.1 of HTTP; send the body with its Content-Length"
        problems.append(FieldProblem(hdrs.TRANSFER_ENCODING, wrong))
    if hdrs.CONTENT_ENCODING in request.headers:
        problems.append(FieldProblem(hdrs.CONTENT_ENCODING, "bodies are not decoded; send this one as it is"))
    if len(request.headers.get(hdrs.CONTENT_TYPE, "")) > LONGEST_CONTENT_TYPE:
        problems.append(FieldProblem(hdrs.CONTENT_TYPE, f"longer than {LONGEST_CONTENT_TYPE} characters"))
    if problems:
        raise InvalidInput.of(*problems)


def media_type(request: web.BaseRequest) -> str:
    """Return the type of the body in lower case and without parameters; empty where none is told."""
    return request.headers.get(hdrs.CONTENT_TYPE, "").partition(";")[0].strip().lower()


def told_type(request: web.BaseRequest) -> str:
    """Return the type of the body as a refusal can name it."""
    return repeatable_text(media_type(request)) or "a body without a Content-Type"
