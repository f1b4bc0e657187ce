import gc
import logging
import re
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.typedefs import Handler

from barcodesvc.api.endpoint import Route
from barcodesvc.api.keys import SERVED, ServedRoute
from barcodesvc.app import make_app
from barcodesvc.config import Settings
from barcodesvc.errors import ExportFailure, InvalidInput, ServiceError
from tests.api.described import OTHER_PATH
from tests.fixture_types import Client


@pytest.fixture
def serve(aiohttp_client: Any, settings: Settings) -> Any:
    """Return a function that serves a test's handler next to the service's own, and returns a client."""

    async def make(handler: Handler, failure: type[ServiceError] | None = None) -> Client:
        app = make_app(settings)
        app.router.add_get(OTHER_PATH, handler)
        if failure:
            served = app[SERVED]
            route: ServedRoute = Route("GET", OTHER_PATH, handler, failure=failure)
            app[SERVED] = {**served, handler: route}
        client: Client = await aiohttp_client(app)
        return client

    return make


@pytest.fixture
def failing(serve: Any) -> Any:
    """Return a function that serves a handler which raises, with or without a route, and returns a client."""

    async def make(error: BaseException, known: object = None) -> Client:
        async def handler(_request: web.Request) -> web.Response:
            raise error

        client: Client = await serve(handler, ExportFailure if known else None)
        return client

    return make


@pytest.mark.parametrize(
    "error", [RuntimeError("/secret"), TimeoutError("/secret"), KeyError("/secret"), OSError(5, "x")]
)
async def test_an_unforeseen_failure_is_reported_without_detail(
    failing: Any, refused: Any, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    """The response has the code of the route's failure and no cause; the log has the cause with its traceback."""
    reply = await refused(await (await failing(error, "known")).get(OTHER_PATH), 500, "EXPORT_ERROR")
    assert (reply["message"], reply["details"]) == ("the service failed; the log says why", {"reason": "failed"})
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.getMessage() == f"unexpected failure in GET {OTHER_PATH}"
    assert record.exc_info
    assert record.exc_info[1] is error


async def test_a_failure_of_an_unknown_handler_is_reported_too(failing: Any, refused: Any) -> None:
    """A handler outside the table gets the error of the tree's root."""
    await refused(await (await failing(RuntimeError())).get(OTHER_PATH), 500, "GENERATION_ERROR")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (web.HTTPBadRequest(reason="Invalid X header"), "Invalid X header"),
        (web.HTTPForbidden(text="no entry"), "no entry"),
        (web.HTTPNotAcceptable(), "Not Acceptable"),
    ],
)
async def test_an_error_of_the_framework_becomes_invalid_input(
    failing: Any, refused: Any, error: web.HTTPException, message: str
) -> None:
    """Only the statuses of the specification occur: a refusal by aiohttp becomes a 400 with its reason."""
    reply = await refused(await (await failing(error)).get(OTHER_PATH), 400, "VALIDATION_ERROR")
    assert reply["message"] == message


async def test_pipelined_requests_are_answered_in_order(shop: Client, raw: Any) -> None:
    """Several requests in one packet get their responses one after the other."""
    one = b"GET /api/products/1 HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /api/products/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    statuses = re.findall(rb"HTTP/1.1 (\d+)", await raw(shop, one * 2 + last))
    assert statuses == [b"200", b"200", b"400"]


@pytest.mark.parametrize("path", ["/api/%ED%A0%80", "/api/%FF", "/api/%00", "/api/\u202e", "/api/<script>"])
async def test_a_path_of_any_bytes_is_unknown_and_reported(client: Client, refused: Any, path: str) -> None:
    """Broken percent-encoding and control characters get the envelope, as JSON with its type."""
    await refused(await client.get(path), 404, "VALIDATION_ERROR")


class Held:
    """An object that a request holds, such as its body."""


@pytest.mark.parametrize("kind", [lambda: InvalidInput("no"), web.HTTPNotFound], ids=["ours", "aiohttp's"])
async def test_a_refusal_leaves_nothing_to_the_garbage_collector(serve: Any, kind: Callable[[], Exception]) -> None:
    """The frames of refusing calls are freed with the response, not by the next full garbage collection."""
    held: list[weakref.ref[Held]] = []

    def cause(what: Held) -> None:
        held.append(weakref.ref(what))
        error = KeyError("held by the call that it was raised in")
        raise error

    async def handler(_request: web.Request) -> web.Response:
        error = kind()
        try:
            cause(Held())
        except KeyError as found:
            raise error from found
        return web.Response()

    client = await serve(handler)
    gc.disable()
    try:
        assert (await client.get(OTHER_PATH)).status in (400, 404)
        assert [one() for one in held] == [None]
    finally:
        gc.enable()
