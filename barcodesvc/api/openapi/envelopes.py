"""Types of the envelopes of errors and of batches; the tests of the API validate every response with them.

`details.reason` of an envelope is that of its error, or of one that is sent in the same. In a batch, each error has an
envelope that names it alone.
"""

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, create_model

from barcodesvc.api.responses import JSON, Success
from barcodesvc.api.signature import CLOSED, Signature, body_type
from barcodesvc.errors import LEFT_OUT, Reason, ServiceError
from barcodesvc.fields import described

_Failed = Annotated[Literal[True], described("True: the request failed.", example=True)]
_ABOUT_DETAILS = "What a program can use: the reason, and what belongs to it."
_REASON = "What a program decides by: a word of a closed list."
_REPLAYED = "True if this is the response to an earlier request."
_STATUS = "The status that a single call would have had."
_ENTRIES = "The envelopes, in the order of the request."
_ENVELOPES: dict[str, type[BaseModel]] = {}
"""Envelopes made so far: each error must have a single type, otherwise the schema would name two."""


def envelope_of(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of the envelope of an error, and of those that are sent in the same."""
    return _envelope(kind.__name__, kind, tuple(dict.fromkeys(one.reason for one in sent_in(kind))))


def sent_in(kind: type[ServiceError]) -> Iterator[type[ServiceError]]:
    """Yield an error and those that are sent in its envelope."""
    yield kind
    for narrower in kind.__subclasses__():
        if narrower.envelope is kind:
            yield narrower


def message_of(kind: type[ServiceError]) -> str:
    """Return the example of an error's message: the first line of its documentation, as the service writes messages."""
    first = (kind.__doc__ or "").partition("\n")[0].removesuffix(".")
    return first[:1].lower() + first[1:]


def batched_success(name: str, single: Signature) -> type[BaseModel]:
    """Return the type of a success in a batch: that of the single call, with its status and the mark of a replay."""
    more: dict[str, Any] = {"status": (_described(Literal[200], "The status of a single call.", 200), ...)}
    documented = "The same in a batch, with the status of a single call"
    if single.is_keyed:
        more["replayed"] = (_described(Literal[True], _REPLAYED, True), None)  # noqa: FBT003 - an example
        documented += "; `replayed` if it is the response to an earlier request"
    return create_model(name, __base__=body_type(single.content[JSON]), __doc__=f"{documented}.", **more)


def batch_response(
    name: str, successes: Iterable[type[BaseModel]], kinds: Iterable[type[ServiceError]]
) -> type[BaseModel]:
    """Return the type of a batch's response: for each entry one of these successes, or one of these errors."""
    entry: Any = reduce(or_, [*successes, *map(_batched, kinds)])
    return create_model(
        name,
        __config__=CLOSED,
        __doc__="For each entry, in order, the envelope that a single call would have returned, with its status.",
        success=(Success, ...),
        data=(_described(list[entry], _ENTRIES), ...),
    )


def _batched(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of an error's envelope in a batch, with the status of a single call."""
    status = _described(Literal[kind.status], _STATUS)
    return _envelope(f"Batched{kind.__name__}", kind, (kind.reason,), status=(status, ...))


def _envelope(name: str, kind: type[ServiceError], reasons: tuple[Reason, ...], **more: Any) -> type[BaseModel]:
    if name not in _ENVELOPES:
        example = () if kind.example is None else ({"reason": kind.reason, **kind.example},)
        _ENVELOPES[name] = create_model(
            name,
            __config__=CLOSED,
            __doc__=kind.__doc__,
            error=(_Failed, ...),
            message=(_described(str, "What went wrong, in words for people.", message_of(kind)), ...),
            code=(_described(Literal[kind.code], "The kind of the error; several reasons share one."), ...),
            details=(_described(_details(name, kind, reasons), _ABOUT_DETAILS, *example), ...),
            **more,
        )
    return _ENVELOPES[name]


def _details(name: str, kind: type[ServiceError], reasons: tuple[Reason, ...]) -> type[BaseModel]:
    """Return the type of the details in an envelope: the reason, and the fields of the error."""
    types = get_type_hints(kind, include_extras=True)
    given: dict[str, Any] = {
        one.name: (types[one.name], None if one.default is LEFT_OUT else ...) for one in kind.detail_fields()
    }
    given["reason"] = (_described(Literal[reasons], _REASON), ...)
    return create_model(f"{name}Details", __config__=CLOSED, __doc__=kind.about, **given)


def _described(kind: Any, description: str, *example: object) -> Any:
    return Annotated[kind, described(description, *example)]
