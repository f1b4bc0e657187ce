"""Idempotency keys in requests, in the header `Idempotency-Key` or in the body, and the replies kept under them.

The header is that of draft-ietf-httpapi-idempotency-key-header; its value is taken literally, quotes included.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from typing import TypeVar

from aiohttp import web

from barcodesvc.api.keys import SERVICE
from barcodesvc.api.parameters import gathered_in, refuse_together
from barcodesvc.api.responses import JSON_HEADERS
from barcodesvc.errors import InvalidInput, Problem, field_problem
from barcodesvc.models import Draft, require_idempotency_key
from barcodesvc.service import Service
from barcodesvc.store.idempotency import KEY as FIELD, KeyedRequest, Reply

Asked = TypeVar("Asked", bound=Draft | bytes)

KEY = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"


def key_checked(request: web.Request) -> AbstractContextManager[None]:
    """Within the block, report problems of the header's key together with those of the block."""
    return _together_with(list(_header_problems(request)))


def require_key(request: web.Request) -> None:
    """Raise InvalidInput for a wrong key in the header, or several."""
    if problems := list(_header_problems(request)):
        raise InvalidInput.of(*problems)


def key_refused(request: web.Request, instead: str) -> AbstractContextManager[None]:
    """Refuse a key, together with problems of the block; `instead` says what to do.

    It is for requests that cannot be applied once as a whole.
    """
    problem = field_problem(KEY, f"not possible here; {instead}")
    return _together_with([problem] if KEY in request.headers else [])


def keyed_request(request: web.Request, asked: Asked) -> KeyedRequest[Asked]:
    """Return a request with its key; raises InvalidInput if header and body give different keys."""
    return keyed_as(request, asked, sent_key(request, getattr(asked, FIELD, None)))


def sent_key(request: web.Request, in_body: str | None) -> str | None:
    """Return the key in the header or in the body; raises InvalidInput for two different ones."""
    in_header = request.headers.get(KEY)
    if in_header and in_body and in_header != in_body:
        message = f"differs from the key in the header {KEY}; send only one"
        raise InvalidInput.of(field_problem(FIELD, message))
    return in_body or in_header


def keyed_as(request: web.Request, asked: Asked, key: str | None) -> KeyedRequest[Asked]:
    """Return a request with this key."""
    return keyed_now(request.app[SERVICE], asked, f"{request.method} {request.path}", key)


def keyed_now(service: Service, asked: Asked, used_for: str, key: str | None) -> KeyedRequest[Asked]:
    """Return the request with its key and the current time."""
    lifetime = timedelta(days=service.settings.idempotency_days)
    return KeyedRequest(asked, used_for, key, service.clock.timestamp(), lifetime)


def reply_response(reply: Reply, status: int = 200) -> web.Response:
    """Return the response with a reply; the header `Idempotency-Replayed` marks that of an earlier request."""
    headers = {**JSON_HEADERS, **({REPLAYED: "true"} if reply.replayed else {})}
    return web.Response(body=reply.body, status=status, headers=headers)


@contextmanager
def _together_with(problems: list[Problem]) -> Iterator[None]:
    refusals: list[InvalidInput] = []
    with gathered_in(refusals):
        yield
    refuse_together([*refusals, *([InvalidInput.of(*problems)] if problems else [])])


def _header_problems(request: web.Request) -> Iterator[Problem]:
    keys = request.headers.getall(KEY, [])
    if len(keys) > 1:
        yield field_problem(KEY, "given more than once")
    for key in keys[:1]:
        try:
            require_idempotency_key(key)
        except ValueError as error:
            yield field_problem(KEY, str(error))
