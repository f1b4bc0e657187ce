"""Bodies: JSON becomes checked models, and every body has a limit on its bytes and on its time.

All problems of a body are reported in one InvalidInput. A body that has arrived with its head, as nearly all have, is
taken at once, and one that is likely to be sent again is parsed once.

Rule: unknown fields are refused by name, and JSON types are exact.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import lru_cache
from typing import Any, TypeVar

from aiohttp import ClientPayloadError, HttpVersion11, hdrs, web
from aiohttp.http_exceptions import HttpProcessingError

from barcodesvc.api.client_address import client_key
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.guard.headers import media_type, named_type
from barcodesvc.api.keys import ARRIVING, SERVED, SERVICE
from barcodesvc.api.parameters import NoQuery, gathered_in, read_query, refuse_together
from barcodesvc.api.responses import JSON
from barcodesvc.errors import InvalidInput, LateBody, LongBody, Stopping, UnreadableBody
from barcodesvc.models import Draft
from barcodesvc.validation import Model, model_in, refused_body

T = TypeVar("T")

BODY_WAIT = 60.0
"""Seconds that a JSON body may take to arrive."""
SHORT = 512
"""Bytes of a body that may be remembered, and that no route refuses for its size."""
_BODIES_REMEMBERED = 4096
"""Short bodies, which take some 5 MB together."""
_LARGE_BODY = 64 * 1024
"""A body of more bytes is parsed in a thread, because no other request is handled while the event loop parses."""
BROKEN_BODY = (ClientPayloadError, HttpProcessingError, web.RequestPayloadError, ConnectionError)
"""What aiohttp raises while it reads a body that ends early or is not encoded as it says."""
_CUT_SHORT = "could not be read: it is cut short or wrongly encoded"


async def read_model(request: web.Request, model: type[Model]) -> Model:
    """Read a JSON body; raises InvalidInput for anything that is not the model, and for query parameters."""
    return await _refusing_query(request, _model_in_body(request, model))


async def _model_in_body(request: web.Request, model: type[Model]) -> Model:
    return await parsed(request, await json_body(request), model)


async def _refusing_query(request: web.Request, reading: Awaitable[T]) -> T:
    """Read a body; raises InvalidInput with its problems, and those of a query, which must not be there."""
    refusals: list[InvalidInput] = []
    with gathered_in(refusals):
        require_no_query(request)
    with gathered_in(refusals):
        read = await reading
    refuse_together(refusals)
    return read


def require_no_query(request: web.Request) -> None:
    """Raise InvalidInput for a request with query parameters."""
    if request.rel_url.raw_query_string:
        read_query(request, NoQuery)


async def parsed(request: web.Request, body: bytes, model: type[Model]) -> Model:
    """Make a model of a JSON body: the second half of read_model."""
    return await worked_on(request, body, model_in, model, body)


async def worked_on(request: web.Request, body: bytes, work: Callable[..., T], *arguments: Any) -> T:
    """Return the result of work on a body, which is done in the thread for bodies if it is a large one."""
    if len(body) > _LARGE_BODY:
        with request.app[SERVICE].large_bodies.held(len(body), client_key(request)):
            return await request.app[SERVICE].body_thread.run(work, *arguments)
    return work(*arguments)


async def read_recurring_model(request: web.Request, model: type[Model]) -> Model:
    """Read a JSON body that is likely to be sent again, as read_model does; small ones are parsed once and cached.

    The model must be immutable, because requests share it.
    """
    if request.rel_url.raw_query_string:
        return await read_model(request, model)
    body = await json_body(request)
    if len(body) > SHORT:
        return await parsed(request, body, model)
    remembered: Model = _remembered(model, body)
    return remembered


async def json_body(request: web.Request) -> bytes:
    """Return the JSON body of a request unparsed: the first half of read_model, except the query."""
    if request.headers.get(hdrs.CONTENT_TYPE) != JSON:
        kind = media_type(request)
        if kind != JSON and not kind.endswith("+json"):
            raise _other_type(request, JSON)
    return await _whole_body(request)


async def read_bytes(request: web.Request, media: str) -> bytes:
    """Read a body of this media type; raises InvalidInput for another one, and for query parameters."""
    return await _refusing_query(request, _bytes_of(request, media))


async def _bytes_of(request: web.Request, media: str) -> bytes:
    if media_type(request) != media:
        raise _other_type(request, media)
    return await _whole_body(request)


def _other_type(request: web.Request, media: str) -> InvalidInput:
    if not request.body_exists:
        return refused_body(UnreadableBody, f"the request has no body; send one as {media}")
    return refused_body(UnreadableBody, f"{named_type(request)} cannot be read; send it as {media}")


async def _whole_body(request: web.Request) -> bytes:
    return _arrived_body(request) if request.content.is_eof() else await _arriving_body(request)


@lru_cache(maxsize=_BODIES_REMEMBERED)
def _remembered(model: type[Draft], body: bytes) -> Any:
    return model_in(model, body)


@asynccontextmanager
async def arriving(request: web.Request, seconds: float, late: str, broken: str) -> AsyncIterator[None]:
    """Wait for the request's body within the block; raises InvalidInput with one of the messages if that fails."""
    bodies = request.app[ARRIVING]
    bodies.add(request.content)
    try:
        with request.app[ADMISSION].waiting_for_client(request):
            async with asyncio.timeout(seconds):
                yield
    except TimeoutError as error:
        raise refused_body(LateBody, late) from error
    except BROKEN_BODY as error:
        raise refused_body(UnreadableBody, broken) from error
    finally:
        bodies.discard(request.content)


async def end_arrivals(app: web.Application) -> None:
    """End every wait for a body with a 503: once it shuts down, aiohttp reads nothing more."""
    for body in app[ARRIVING]:
        body.set_exception(Stopping("the service is shutting down", retry_after=5))


async def meet_expectation(request: web.Request) -> None:
    """Let a client that waits for `100 Continue` send its body; other expectations are ignored.

    aiohttp would answer those itself, with a 417 outside of the envelope (RFC 9110, 10.1.1 leaves the choice). The
    guards run before routing, and so before this.
    """
    if request.headers["Expect"].lower() == "100-continue" and request.version >= HttpVersion11:
        with suppress(ConnectionError):  # the client has left; the wait for its body reports that
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0


def _arrived_body(request: web.Request) -> bytes:
    """Return a body that has arrived, as nearly all have; `request.read` would take much longer for it."""
    try:
        body = request.content.read_nowait()
    except BROKEN_BODY as error:
        raise cut_short() from error
    if len(body) > SHORT and len(body) > (most := _most_bytes(request)):  # every route takes a short one
        raise _too_large(most)
    return body


async def _arriving_body(request: web.Request) -> bytes:
    async with arriving(request, BODY_WAIT, f"did not arrive within {BODY_WAIT:g} seconds", _CUT_SHORT):
        body = await _gathered_body(request)
    request.app[ADMISSION].require_capacity()
    return body


async def _gathered_body(request: web.Request) -> bytes:
    body, most = bytearray(), _most_bytes(request)
    if (request.content_length or 0) > most:
        raise _too_large(most)
    with request.app[SERVICE].large_bodies.held(0, client_key(request)) as acquire:
        async for chunk in request.content.iter_any():
            acquire(len(chunk))
            body += chunk
            if len(body) > most:
                raise _too_large(most)
    return bytes(body)


def _most_bytes(request: web.Request) -> int:
    route = request.app[SERVED][request.match_info.handler]
    return min(route.most_bytes, request.app[SERVICE].settings.max_json_bytes)


def _too_large(most_bytes: int) -> InvalidInput:
    return refused_body(LongBody, f"larger than {most_bytes} bytes")


def cut_short() -> InvalidInput:
    """Return the error for a body that has ended early."""
    return refused_body(UnreadableBody, _CUT_SHORT)
