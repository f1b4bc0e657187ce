"""Strong validators: the ETag of an answer's bytes, and whether its client has them already."""

from __future__ import annotations

from hashlib import blake2b

from aiohttp import web

_TAG_BYTES = 16


def strong_etag(body: bytes) -> str:
    """Return the value of an ETag header over the bytes of an answer (RFC 9110, 8.8.3), quotes included."""
    return f'"{blake2b(body, digest_size=_TAG_BYTES).hexdigest()}"'


def is_known(request: web.Request, tag: str) -> bool:
    """Tell whether the client has the answer with this strong ETag already (RFC 9110, 13.1.2)."""
    return any(known.value in (tag.strip('"'), "*") for known in request.if_none_match or ())
