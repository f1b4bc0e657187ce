"""Signatures: what a request contains and what its response contains, as the handler's annotations say.

A parameter of a handler is `service`, the running service; `request`, the request; a segment of the path, by its name;
`query`, the query parameters; `body`, the body; or `key`, under which a change is made once. Its result is data in an
envelope, a whole body, a response, or a script that makes a change and yields one of these.

Endpoints read and write by them, and the OpenAPI document shows them, so neither can say what the other does not.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from aiohttp import web
from pydantic import BaseModel, ConfigDict, create_model

from barcodesvc.api.idempotency import KEY, REPLAYED
from barcodesvc.api.parameters import NoQuery
from barcodesvc.api.responses import JSON, Success
from barcodesvc.fields import described

T = TypeVar("T")

CLOSED = ConfigDict(extra="forbid", defer_build=True)
"""Of envelopes; they are built together with the document instead of at startup."""
CACHED = ("ETag", "Cache-Control")
"""The headers of a response that a client can ask for again with `If-None-Match`."""


@dataclass(frozen=True, slots=True)
class Enveloped:
    """Annotates data that is sent in an envelope: the name and description of the envelope, and that of its data."""

    name: str
    description: str
    data: str


@dataclass(frozen=True, slots=True)
class Example:
    """Annotates a JSON body with an example of all of it."""

    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reads:
    """Annotates a request that a handler reads by itself: segments of its path, its query, and bodies by media type.

    `is_keyed` is whether it has an idempotency key.
    """

    path: Mapping[str, Any] = field(default_factory=dict)
    query: type[BaseModel] = NoQuery
    body: Mapping[str, Any] = field(default_factory=dict)
    is_keyed: bool = False


IgnoredQuery = Annotated[web.Request, Reads()]
"""A request of which a handler reads nothing, so that any query parameters are ignored."""


@dataclass(frozen=True, slots=True)
class Sends:
    """Annotates a response that a handler makes itself: its content by media type, and its headers.

    The type of text is None, and that of a file `bytes`.
    """

    content: Mapping[str, Any]
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """The type of the response of a batch: for each entry the envelope of a single call, with its status.

    `singles` are the handlers of single calls, by the name that their success has in the batch.
    """

    name: str
    singles: Mapping[str, Callable[..., Any]] = field(hash=False)


class Signature:
    """What a handler with these segments in its path reads, and what it sends.

    `names` are those of its parameters. With `is_read_by_handler`, nothing is read before the handler is called.
    """

    def __init__(self, handler: Callable[..., Any], segments: tuple[str, ...]) -> None:
        hints = get_type_hints(handler, include_extras=True)
        result = hints.pop("return")
        self.names = tuple(hints)
        self.is_script = get_origin(result) is Generator
        result = get_args(result)[2] if self.is_script else result
        noted = _noted(hints.get("request"), Reads)
        self.is_read_by_handler = noted is not None
        reads = noted or Reads()
        sends = _noted(result, Sends) or Sends({JSON: result})
        self.is_keyed = "key" in hints or reads.is_keyed
        self.path = {name: hints[name] for name in segments if name in hints} | dict(reads.path)
        self.query: type[BaseModel] = hints.get("query", reads.query)
        self.body = _bodies(hints["body"]) if "body" in hints else reads.body
        self.example = next((one for one in map(_example, self.body.values()) if one), None)
        self.body = {media: _without_example(kind) for media, kind in self.body.items()}
        self.content = sends.content
        matched = ("If-None-Match",) if "ETag" in sends.headers else ()
        self.headers = (*([KEY] if self.is_keyed else []), *matched)
        self.response_headers = (*sends.headers, *([REPLAYED] if self.is_keyed else []))

    @property
    def data(self) -> tuple[Any, bool]:
        """The type of what is written as JSON, and whether an envelope is around it."""
        kind = self.content.get(JSON)
        is_enveloped = _noted(kind, Enveloped) is not None
        return (get_args(kind)[0] if is_enveloped else kind), is_enveloped


def body_type(kind: Any) -> Any:
    """Return the type of the body with data of this kind: its envelope, or the kind itself."""
    enveloped = _noted(kind, Enveloped)
    if enveloped is None:
        return kind
    data = (get_args(kind)[0], described(enveloped.data))
    fields: dict[str, Any] = {"success": (Success, ...), "data": data}
    return create_model(enveloped.name, __config__=CLOSED, __doc__=enveloped.description, **fields)


def _noted(kind: Any, note: type[T]) -> T | None:
    """Return the note of this type in an annotation."""
    return next((one for one in get_args(kind)[1:] if isinstance(one, note)), None)


def _bodies(kind: Any) -> Mapping[str, Any]:
    """Return the type of a body by its media type, which the annotation of bytes notes."""
    if get_origin(kind) is Annotated and get_args(kind)[0] is bytes:
        return {get_args(kind)[1]: bytes}
    return {JSON: kind}


def _example(kind: Any) -> Mapping[str, Any] | None:
    noted = _noted(kind, Example)
    return noted.value if noted else None


def _without_example(kind: Any) -> Any:
    return get_args(kind)[0] if _noted(kind, Example) else kind
