"""Request header validation: the checks that every request passes first, and the media type of its body.

A compressed body can inflate from a megabyte to a gigabyte, even while the rest of a refused body is discarded. So
nothing is ever decompressed (`auto_decompress` in `connections`), and a request with an encoded body gets a 400.

Rule: the cost of a header grows at most with its length. aiohttp parses Content-Type with the standard library, in
quadratic time; so the service reads the media type itself, and limits the header's length for other readers.
"""

from __future__ import annotations

from aiohttp import HttpVersion11, hdrs, web

from barcodesvc.api.keys import OTHER_VERSION
from barcodesvc.errors import FieldProblem, InvalidHttp, InvalidInput, UnknownRoute
from barcodesvc.validation import repeatable_text

MOST_SEGMENTS = 32
"""Segments of a path, more than any route has: aiohttp's router takes quadratic time for them."""
LONGEST_CONTENT_TYPE = 200
"""Characters of a Content-Type; a boundary has at most 70 (RFC 2046, clause 5.1.1)."""


def require_plain_head(request: web.BaseRequest) -> None:
    """Raise InvalidInput for an unsupported HTTP version or framing, an encoded body, or an overlong Content-Type."""
    if request.version != HttpVersion11 and OTHER_VERSION in request:
        raise InvalidHttp("the service speaks versions 1.0 and 1.1 of HTTP; send the request as one of these")
    headers = request.headers
    problems = []
    framing = headers.get(hdrs.TRANSFER_ENCODING)
    if framing is not None:
        if wrong := _wrong_framing(request, framing):
            problems.append(FieldProblem(hdrs.TRANSFER_ENCODING, wrong))
        elif isinstance(refusal := request.content.exception(), InvalidInput):
            raise refusal
    if hdrs.CONTENT_ENCODING in headers:
        problems.append(FieldProblem(hdrs.CONTENT_ENCODING, "bodies are not decoded; send this one as it is"))
    if len(headers.get(hdrs.CONTENT_TYPE, "")) > LONGEST_CONTENT_TYPE:
        problems.append(FieldProblem(hdrs.CONTENT_TYPE, f"longer than {LONGEST_CONTENT_TYPE} characters"))
    if problems:
        raise InvalidInput.of(*problems)


def require_few_segments(request: web.BaseRequest) -> None:
    """Raise UnknownRoute for a path with more segments than any route has."""
    if request.raw_path.partition("?")[0].count("/") > MOST_SEGMENTS:
        raise UnknownRoute(f"no path has more than {MOST_SEGMENTS} segments; /api/docs shows every route")


def _wrong_framing(request: web.BaseRequest, framing: str) -> str | None:
    """Return what is wrong with a Transfer-Encoding (RFC 9112, clause 6.1), or None."""
    if request.version < HttpVersion11:
        return "needs version 1.1 of HTTP; send the body with its Content-Length"
    return None if framing.lower() == "chunked" else "bodies are not decoded; send this one as chunked alone"


def media_type(request: web.BaseRequest) -> str:
    """Return the media type of the body in lower case, without parameters; empty if the request names none."""
    return request.headers.get(hdrs.CONTENT_TYPE, "").partition(";")[0].strip().lower()


def named_type(request: web.BaseRequest) -> str:
    """Return the media type of the body in the form that error messages use."""
    return repeatable_text(media_type(request)) or "a body without a Content-Type"
