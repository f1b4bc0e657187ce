"""The calls of tour.md, and whether a request is one of them."""

import json
import shlex
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.pages import Step, tour

_CLOCKS = {"scanned_at"}
"""Fields whose values depend on the day."""


@dataclass(frozen=True)
class DocumentedCall:
    """A call of the page: `body` is its JSON, and `answers_json` is whether its response is JSON."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    answers_json: bool

    def is_made_by(self, request: dict[str, Any]) -> bool:
        """Return whether a request has all that the page shows; a client may send defaults in addition."""
        return (
            (request["method"], unquote(request["path"])) == (self.method, self.path)
            and _includes(request["query"], self.query)
            and _includes(request["body"], self.body)
        )


def documented_calls() -> list[DocumentedCall]:
    """Return the calls of the tour, in order."""
    return [_call(step) for step in tour("tests/contract/tour.md", "A tour with curl")]


def _call(step: Step) -> DocumentedCall:
    words = shlex.split(step.command)[1:]
    options = dict(pairwise(words))
    url = urlsplit(next(word for word in words if word.startswith("http://")))
    sends = "--json" in options or "-F" in options
    return DocumentedCall(
        method=options.get("-X", "POST" if sends else "GET"),
        path=unquote(url.path),
        query=dict(parse_qsl(url.query)),
        body=json.loads(options["--json"]) if "--json" in options else None,
        answers_json=step.response.startswith("{"),
    )


def _includes(sent: Any, shown: Any) -> bool:
    if isinstance(shown, dict):
        return all(name in sent and (name in _CLOCKS or _includes(sent[name], value)) for name, value in shown.items())
    if isinstance(shown, list):
        return len(sent) == len(shown) and all(map(_includes, sent, shown))
    return bool(sent == shown)
