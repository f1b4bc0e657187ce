"""One row of the route table: which requests it is for, what answers them, and what the document says of both.

Rule: what follows from the path is not written in a row. An id in it, the refusal of bad input, of too many requests
and of what fails unforeseen, and what a body can end with are added by `openapi.document`.
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
    """A method and a path, their handler, and what it takes and gives.

    `failure` is the error that an unforeseen exception becomes. `answer` and `body` map media types to types; an
    answer's type is None where it is text and `bytes` where it is a file. The answer comes with `status`, and with
    those in `also`. `headers` are those of the request, `answer_headers` those of a success, which the document knows.
    `errors` are those beside the ones that follow from the path. `links` maps operations to the parameter that the id
    in the answer is for. `needs_key` is whether it is closed where the API is.
    """

    method: str
    path: str
    handler: Handler
    failure: type[ServiceError]
    answer: Mapping[str, Any] = field(hash=False)
    query: type[BaseModel] = NoQuery
    body: Mapping[str, Any] = field(default_factory=dict, hash=False)
    status: int = 200
    also: tuple[int, ...] = ()
    headers: tuple[str, ...] = ()
    answer_headers: tuple[str, ...] = ()
    errors: tuple[type[ServiceError], ...] = ()
    description: str = ""
    example: Mapping[str, Any] | None = field(default=None, hash=False)
    links: Mapping[str, str] = field(default_factory=dict, hash=False)
    needs_key: bool = True

    @property
    def methods(self) -> tuple[str, ...]:
        """The method of the table, and beside GET also HEAD: the same answer without its body (RFC 9110, 9.1)."""
        return ("GET", "HEAD") if self.method == "GET" else (self.method,)

    @property
    def pattern(self) -> str:
        """What aiohttp matches: an id never swallows a sibling's name, so that a wrong method there is a 405.

        A code may hold any character, a slash and a line break too, and a path of a file slashes.
        """
        return (
            self.path.replace("{id}", "{id:(?!(?:import|export)$)[^/]+}")
            .replace("{productId}", "{productId:(?!(?:changes|export)$)[^/]+}")
            .replace("{changeId}", "{changeId:[^/]+}")
            .replace("{code}", "{code:(?s:.+)}")
            .replace("{path}", "{path:.+}")
        )
