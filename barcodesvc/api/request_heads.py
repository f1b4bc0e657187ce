"""What the head of every request is held to, before anything else is made of it: a body as it is, without a coding.

A body that is inflated while it arrives makes a gigabyte of a megabyte, also where the rest of a refused one is thrown
away. So nothing is ever inflated (`auto_decompress` in `connections`), and whoever sends an encoded body is told so.
"""

from __future__ import annotations

from aiohttp import hdrs, web

from barcodesvc.errors import FieldProblem, InvalidInput


def require_plain_body(request: web.BaseRequest) -> None:
    """Raise InvalidInput for a request with a Content-Encoding, whatever it is and wherever it goes."""
    if hdrs.CONTENT_ENCODING in request.headers:
        raise InvalidInput.of(FieldProblem(hdrs.CONTENT_ENCODING, "bodies are not decoded; send this one as it is"))
