"""Contract check: every response of the service must match the OpenAPI document exactly."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from aiohttp import ClientResponse
from aiohttp.connector import Connection
from jsonschema_rs import Draft202012Validator

from barcodesvc.api.openapi.document import KEY_REQUIRED, api_document
from barcodesvc.api.routes import ROUTES

DOCUMENT = api_document(ROUTES, KEY_REQUIRED)
"""The document of a service with a key, which contains that of one without, and the 401."""
_FAILURES = (
    "DatabaseFailure",
    "DatabaseOverload",
    "FileTooLarge",
    "GenerationFailure",
    "InvalidFileFormat",
    "InvalidInput",
    "RenderOverload",
    "UnconfirmedChange",
)
EVENTS: dict[str, Any] = {
    "progress": {"$ref": "#/components/schemas/ImportProgress"},
    "result": {"$ref": "#/components/schemas/ImportResult"},
    "error": {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in _FAILURES]},
}
_ON_EVERY_ANSWER = {"Cache-Control", "Set-Cookie", "X-Request-ID"}
_NOWHERE = {
    400: ("InvalidInput", "ForeignPage"),
    401: ("Unauthorized",),
    404: ("UnknownRoute",),
    405: ("MethodNotAllowed",),
    429: ("RateLimitExceeded",),
    503: ("RenderOverload",),
}
"""Documented responses for requests without an operation, by status."""
OTHER_PATH = "/other"
"""Path under which tests serve their own handlers, which the document does not describe."""
_OF_THE_PAGE = re.compile(r"/|/(?:service|sending)-worker\.js|/watchdog\.js|/page/.*|/source", re.DOTALL)
"""Paths of the browser's page, which is not part of the API; unknown paths still get the API's envelopes."""
_METHODS = ("GET", "POST", "PUT", "DELETE")
_CAN_BE_LEFT_OUT = {"/metrics"}
"""Paths that a setting removes."""


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the documented paths as patterns, those without parameters first."""
    paths = sorted(DOCUMENT["paths"], key=lambda path: "{" in path)
    kinds = {path: ".+" if "{code}" in path else "[^/]+" for path in paths}
    return tuple((re.compile(re.sub(r"\\\{\w+\\\}", kinds[path], re.escape(path))), path) for path in paths)


def operation_of(method: str, raw_path: str) -> dict[str, Any] | None:
    """Return the operation of a request, None if the document has none."""
    path = next((path for pattern, path in _patterns() if pattern.fullmatch(raw_path)), None)
    found: dict[str, Any] | None = DOCUMENT["paths"][path].get(method.lower()) if path else None
    return found


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator({**json.loads(schema), "components": DOCUMENT["components"]}, validate_formats=True)


def problems_of(schema: dict[str, Any], value: Any) -> Iterator[str]:
    """Yield the problems of a value."""
    for error in _validator(json.dumps(schema, sort_keys=True)).iter_errors(value):
        yield f"{'.'.join(map(str, error.instance_path))}: {error.message[:1000]}"


def undocumented(method: str, raw_path: str, status: int) -> dict[str, Any]:
    """Return the documented responses for a request without an operation: unknown path or wrong method."""
    assert status != 405 or method not in _METHODS or operation_of(method, raw_path) is None
    schemas = [{"$ref": f"#/components/schemas/{kind}"} for kind in _NOWHERE[status]]
    page: dict[str, Any] = {"text/html": {}} if status == 404 and not raw_path.startswith("/api") else {}
    return {"content": {"application/json": {"schema": {"anyOf": schemas}}, **page}}


class DescribedResponse(ClientResponse):
    """A response that is checked against the document: its head when it arrives, its body when it is read."""

    async def start(self, connection: Connection) -> ClientResponse:
        """Receive the head; raises AssertionError for an undocumented status, type or header."""
        response = await super().start(connection)
        if self.method in (*_METHODS, "HEAD", "PATCH") and self._is_described:
            self._check_head()
        return response

    async def read(self) -> bytes:
        """Receive the body; raises AssertionError if it does not match the document."""
        is_new = self._body is None
        body = await super().read()
        if is_new and self.method not in ("OPTIONS", "HEAD") and self._is_described:
            self._check_body(body)
        return body

    @property
    def _is_described(self) -> bool:
        of_the_page = self.status in (200, 302, 304) and _OF_THE_PAGE.fullmatch(self.url.raw_path)
        return self.url.raw_path != OTHER_PATH and not of_the_page

    @property
    def _described(self) -> dict[str, Any]:
        operation = operation_of("GET" if self.method == "HEAD" else self.method, self.url.raw_path)
        if operation is None or (self.status == 404 and self.url.raw_path in _CAN_BE_LEFT_OUT):
            return undocumented(self.method, self.url.raw_path, self.status)
        assert str(self.status) in operation["responses"], f"{self.method} {self.url} answers {self.status}"
        reply: dict[str, Any] = operation["responses"][str(self.status)]
        return reply

    def _check_head(self) -> None:
        reply = self._described
        assert self.status == 304 or self.content_type in reply["content"], f"{self.url} answers {self.content_type}"
        for name, header in DOCUMENT["components"]["headers"].items():
            is_reported = name in reply.get("headers", {}) or name in _ON_EVERY_ANSWER
            assert is_reported or name not in self.headers or "headers" not in reply, f"{self.url}: {name}"
            if name in reply.get("headers", {}) and (name in self.headers or header["required"]):
                assert list(problems_of(header["schema"], self._header(name, header))) == [], f"{self.url}: {name}"

    def _header(self, name: str, header: dict[str, Any]) -> str | int:
        return int(self.headers[name]) if header["schema"].get("type") == "integer" else self.headers[name]

    def _check_body(self, body: bytes) -> None:
        if self.content_type == "application/json":
            schema = self._described["content"]["application/json"]["schema"]
            assert list(problems_of(schema, json.loads(body))) == [], f"{self.method} {self.url}: {body[:2000]!r}"
        if self.content_type == "text/event-stream":
            for name, data in re.findall(r"^event: (\w+)\ndata: (.*)$", body.decode(), re.MULTILINE):
                assert list(problems_of(EVENTS[name], json.loads(data))) == [], f"{self.url}: {data}"
