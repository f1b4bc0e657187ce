"""Idempotency keys: a send that may come again, its key in the header `Idempotency-Key` or in the body, its answer.

The header is that of draft-ietf-httpapi-idempotency-key-header; its value is taken as it stands, quotes included.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

from aiohttp import web

from barcodesvc.api.keys import CLOCK, SETTINGS
from barcodesvc.api.requests import gathered_in, refuse_together
from barcodesvc.api.responses import JSON_HEADERS
from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.models import ChangeUndo, LevelAdjustment, require_idempotency_key
from barcodesvc.store.idempotency import Answer, Send

Asked = TypeVar("Asked", bound=LevelAdjustment | ChangeUndo)

KEY = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"


@contextmanager
def key_checked(request: web.Request) -> Iterator[None]:
    """Report problems of the header's key together with those of the body."""
    refusals: list[InvalidInput] = []
    with gathered_in(refusals):
        yield
    wrong = list(_header_problems(request))
    refuse_together([*refusals, *([InvalidInput.of(*wrong)] if wrong else [])])


def send_of(request: web.Request, asked: Asked) -> Send[Asked]:
    """Return the send of a request; raises InvalidInput where header and body give different keys."""
    in_header, in_body = request.headers.get(KEY), asked.idempotency_key
    if in_header and in_body and in_header != in_body:
        message = f"another one than in the header {KEY}; one of the two is enough"
        raise InvalidInput.of(FieldProblem("idempotency_key", message))
    return send_now(request.app, asked, f"{request.method} {request.path}", in_body or in_header)


def send_now(app: web.Application, asked: Asked, used_for: str, key: str | None) -> Send[Asked]:
    """Return the send of what is asked for now."""
    lifetime = timedelta(days=app[SETTINGS].idempotency_days)
    return Send(asked, used_for, key, app[CLOCK].timestamp(), lifetime)


def answered(answer: Answer) -> web.Response:
    """Return the answer to a send; the header `Idempotency-Replayed` marks that of an earlier one."""
    return web.Response(body=answer.body, headers={**JSON_HEADERS, **({REPLAYED: "true"} if answer.replayed else {})})


def _header_problems(request: web.Request) -> Iterator[FieldProblem]:
    keys = request.headers.getall(KEY, [])
    if len(keys) > 1:
        yield FieldProblem(KEY, "given more than once")
    for key in keys[:1]:
        try:
            require_idempotency_key(key)
        except ValueError as error:
            yield FieldProblem(KEY, str(error))
