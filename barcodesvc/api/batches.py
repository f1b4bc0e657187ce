"""Batches: many requests in one body, each handled on its own, and the envelopes of all in one response.

An envelope has the status that a single call would have had, so that a client handles both alike.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from aiohttp import web
from pydantic_core import to_json

from barcodesvc.api.keys import SERVED
from barcodesvc.api.responses import error_envelope, unforeseen
from barcodesvc.errors import ServiceError

T = TypeVar("T")


async def outcomes_of(handle: Callable[[Any], Awaitable[T]], entries: Iterable[Any]) -> list[T | Exception]:
    """Handle entries at the same time; return the result or the exception of each, in order.

    The loop turns after each, because refusing a long one takes milliseconds.
    """
    async with asyncio.TaskGroup() as group:
        tasks = []
        for entry in entries:
            tasks.append(group.create_task(_outcome(handle, entry)))
            await asyncio.sleep(0)
    return [task.result() for task in tasks]


async def _outcome(handle: Callable[[Any], Awaitable[T]], entry: object) -> T | Exception:
    try:
        return await handle(entry)
    except Exception as error:  # noqa: BLE001 - as in the middleware: this entry and the others get envelopes
        return error


def batched(success: bytes, more: bytes = b"") -> bytes:
    """Return the envelope of a success in a batch: with the status of a single call, and `more` fields."""
    return success[:-1] + b',"status":200' + more + b"}"


def batched_error(request: web.Request, error: Exception) -> bytes:
    """Return the envelope of an error in a batch: with the status of a single call."""
    if not isinstance(error, ServiceError):
        failure = request.app[SERVED][request.match_info.handler].failure
        error = unforeseen(error, failure, "an entry of a batch")
    return to_json({**error_envelope(error), "status": error.status})
