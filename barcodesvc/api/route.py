"""A row of the route table: method and path, handler, and what the OpenAPI document says about both.

Rule: a row omits what follows from its path. `openapi.document` adds the path's parameters and the errors for invalid
input, too many requests and overload.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp.typedefs import Handler
from pydantic import BaseModel

from barcodesvc.api.requests import NoQuery
from barcodesvc.errors import ServiceError


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path, their handler, and what it accepts and returns.

    `failure` is the error that an unforeseen exception becomes. `response` and `body` map media types to types; the
    type of text is None, and that of a file `bytes`. The response has `status` or one of `also`. `headers` are
    the documented headers of the request, `response_headers` those of a successful response. `errors` are those that do
    not follow from the path. `links` maps operations to their parameter that takes the id in the response. `needs_key`
    is whether the route requires a key if one is configured. `most_bytes` limits the JSON body, and with it the cost of
    finding all its problems.
    """

    method: str
    path: str
    handler: Handler
    failure: type[ServiceError]
    response: Mapping[str, Any] = field(hash=False)
    query: type[BaseModel] = NoQuery
    body: Mapping[str, Any] = field(default_factory=dict, hash=False)
    status: int = 200
    also: tuple[int, ...] = ()
    headers: tuple[str, ...] = ()
    response_headers: tuple[str, ...] = ()
    errors: tuple[type[ServiceError], ...] = ()
    description: str = ""
    example: Mapping[str, Any] | None = field(default=None, hash=False)
    links: Mapping[str, str] = field(default_factory=dict, hash=False)
    needs_key: bool = True
    most_bytes: int = 64 * 1024

    @property
    def methods(self) -> tuple[str, ...]:
        """The method of the table, and HEAD in addition to GET: the same response without its body (RFC 9110, 9.1)."""
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)

    @property
    def pattern(self) -> str:
        """The path for aiohttp's router: an id does not match a sibling's name, so that a wrong method there is a 405.

        A code may contain any character, including slashes and line breaks; a path of a file may contain slashes.
        """
        return (
            self.path.replace("{id}", "{id:(?!(?:import|export)$)[^/]+}")
            .replace("{productId}", "{productId:(?!(?:changes|export)$)[^/]+}")
            .replace("{changeId}", "{changeId:[^/]+}")
            .replace("{name}", "{name:[^/]+}")
            .replace("{printer}", "{printer:[^/]+}")
            .replace("{jobId}", "{jobId:[^/]+}")
            .replace("{code}", "{code:(?s:.+)}")
            .replace("{path}", "{path:.+}")
        )
