"""Headers: what every response carries, and what the head of a request must be before its body is read.

Without the first, browsers would sniff, frame, embed and cache responses. A header that a handler sets takes
precedence, and responses that no handler makes carry them too. Strict-Transport-Security is left out: a proxy that
terminates TLS sets it. A service that speaks TLS itself runs in a shop's network, where a certificate may expire, and
users could then not get past the browser's warning.

Without the second, a compressed body of a megabyte could become a gigabyte, so nothing is ever decompressed.

Rule: the cost of a header grows at most with its length. aiohttp parses Content-Type with the standard library, in
quadratic time; so the service reads the media type itself, and limits the header's length for other readers.
"""

import re
from collections.abc import Iterable, Iterator

from aiohttp import HttpVersion11, hdrs, web
from multidict import CIMultiDict, istr

from barcodesvc.api.observe.request_ids import REQUEST_ID
from barcodesvc.errors import InvalidInput, UnknownRoute, field_problem
from barcodesvc.validation import repeatable_text

EXPOSED_HEADERS = (
    "Content-Disposition",
    "ETag",
    "Idempotency-Replayed",
    "Location",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
    REQUEST_ID,
)
"""Headers that a page of an allowed origin may read, in addition to the CORS-safelisted ones."""
_CONTENT_SECURITY_POLICY = istr("Content-Security-Policy")
_REFERRER_POLICY = istr("Referrer-Policy")
_RESOURCE_POLICY = istr("Cross-Origin-Resource-Policy")
SAFE_HEADERS = CIMultiDict(
    {
        istr("X-Content-Type-Options"): "nosniff",
        _CONTENT_SECURITY_POLICY: "default-src 'none'; frame-ancestors 'none'",
        _REFERRER_POLICY: "no-referrer",
        _RESOURCE_POLICY: "same-origin",
        hdrs.CACHE_CONTROL: "no-store",
        hdrs.SERVER: "barcodesvc",
    }
)
"""Forbid loading, framing, embedding and caching, none of which JSON and downloads need; `Server` names no version."""
_PARTS = ("text/javascript", "text/css")
_OF_PARTS = CIMultiDict(
    (name, value) for name, value in SAFE_HEADERS.items() if name not in (_CONTENT_SECURITY_POLICY, _REFERRER_POLICY)
)
"""Scripts and styles take both policies from the document that loads them, and opened by themselves they are text. A
worker is not part of a document: its response sets both. The web app has dozens of parts, and its first view few bytes.
"""
PICTURE_HEADERS: dict[str, str] = {
    _CONTENT_SECURITY_POLICY: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    _RESOURCE_POLICY: "cross-origin",
}
"""Any page may embed a picture; opened by itself it may do nothing, except use the style that the viewer adds."""
MOST_SEGMENTS = 32
"""Segments of a path, more than any route has: aiohttp's router takes quadratic time for them."""
LONGEST_CONTENT_TYPE = 200
"""Characters of a Content-Type; a boundary has at most 70 (RFC 2046, clause 5.1.1)."""
_WEIGHT = re.compile(r"0(\.[0-9]{0,3})?|1(\.0{0,3})?")
"""RFC 9110, clause 12.4.2."""


def add_safe_headers(headers: CIMultiDict[str]) -> None:
    """Add the security headers that the response does not set itself."""
    headers.merge(_OF_PARTS if headers.get(hdrs.CONTENT_TYPE, "").startswith(_PARTS) else SAFE_HEADERS)


async def vary_by_origin(_: web.Request, response: web.StreamResponse) -> None:
    """Add `Vary: Origin` to a response of a service that allows origins."""
    varies = ",".join(response.headers.getall(hdrs.VARY, ())).lower()
    if not {"origin", "*"} & {part.strip() for part in varies.split(",")}:
        response.headers.add(hdrs.VARY, hdrs.ORIGIN)


def is_open(path: str) -> bool:
    """Return whether a path needs no key and has no limit: any path outside /api, such as /health."""
    return not path.startswith("/api/") and path != "/api"


def is_preflight(request: web.Request) -> bool:
    """Return whether a browser only asks whether it may send a request of another origin."""
    return request.method == hdrs.METH_OPTIONS and hdrs.ACCESS_CONTROL_REQUEST_METHOD in request.headers


def require_plain_head(request: web.BaseRequest) -> None:
    """Raise InvalidInput for an unsupported framing, an encoded body, or an overlong Content-Type."""
    headers = request.headers
    problems = []
    framing = headers.get(hdrs.TRANSFER_ENCODING)
    if framing is not None:
        if wrong := _wrong_framing(request, framing):
            problems.append(field_problem(hdrs.TRANSFER_ENCODING, wrong))
        elif isinstance(refusal := request.content.exception(), InvalidInput):
            raise refusal
    if hdrs.CONTENT_ENCODING in headers:
        problems.append(field_problem(hdrs.CONTENT_ENCODING, "bodies are not decoded; send this one as it is"))
    if len(headers.get(hdrs.CONTENT_TYPE, "")) > LONGEST_CONTENT_TYPE:
        problems.append(field_problem(hdrs.CONTENT_TYPE, f"longer than {LONGEST_CONTENT_TYPE} characters"))
    if problems:
        raise InvalidInput.of(*problems)


def require_few_segments(request: web.BaseRequest) -> None:
    """Raise UnknownRoute for a path with more segments than any route has."""
    path = request.raw_path
    if path.count("/") > MOST_SEGMENTS and path.partition("?")[0].count("/") > MOST_SEGMENTS:
        raise UnknownRoute(f"no path has more than {MOST_SEGMENTS} segments; /api/docs shows every route")


def _wrong_framing(request: web.BaseRequest, framing: str) -> str | None:
    """Return what is wrong with a Transfer-Encoding (RFC 9112, clause 6.1), or None."""
    if request.version < HttpVersion11:
        return "needs version 1.1 of HTTP; send the body with its Content-Length"
    return None if framing.lower() == "chunked" else "bodies are not decoded; send this one as chunked alone"


def media_type(request: web.BaseRequest) -> str:
    """Return the media type of the body in lower case, without parameters; empty if the request names none."""
    return request.headers.get(hdrs.CONTENT_TYPE, "").partition(";")[0].strip().lower()


def accepted_weights(lines: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Yield what the lines of an Accept header name, in lower case with its parameters, and its weight.

    An element with an invalid weight is ignored.
    """
    for element in ",".join(lines).lower().split(","):
        *named, last = (part.strip() for part in element.split(";"))
        if not last.startswith("q="):
            yield ";".join([*named, last]), 1.0
        elif _WEIGHT.fullmatch(last.removeprefix("q=")):
            yield ";".join(named), float(last.removeprefix("q="))


def named_type(request: web.BaseRequest) -> str:
    """Return the media type of the body in the form that error messages use."""
    return repeatable_text(media_type(request)) or "a body without a Content-Type"
