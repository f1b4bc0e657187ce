"""Types of the envelopes of errors; the tests of the API validate every response against them.

An error that DETAILS does not list is sent in the envelope of its nearest parent there, in the tree of
`barcodesvc.errors`; so `details.reason` of an envelope is that of its error or of one of these. In a batch, each error
has an envelope that names it alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from types import new_class
from typing import Annotated, Any, Literal, Required

from pydantic import BaseModel, ConfigDict, create_model

from barcodesvc.api.openapi.error_details import DETAILS, EXAMPLES
from barcodesvc.api.responses import Success
from barcodesvc.errors import Reason, ServiceError
from barcodesvc.fields import described

_Failed = Annotated[Literal[True], described("True: the request failed.", example=True)]
_ABOUT_DETAILS = "What a program can use: the reason, and what belongs to it."
_REASON = described("What a program decides by: a word of a closed list.")
_STATUS = "The status that a single call would have had."
_ENTRIES = "The envelopes, in the order of the request."
_CLOSED = ConfigDict(extra="forbid", defer_build=True)
"""Built together with the document instead of at startup."""
_ENVELOPES: dict[str, type[BaseModel]] = {}
"""Envelopes made so far: each error must have a single type, otherwise the schema would name two."""


def envelope_of(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of the envelope of an error, and of those that are sent in the same."""
    return _envelope(kind.__name__, kind, tuple(dict.fromkeys(one.reason for one in sent_in(kind))))


def message_of(kind: type[ServiceError]) -> str:
    """Return the example of an error's message: the first line of its documentation, as the service writes messages."""
    first = (kind.__doc__ or "").partition("\n")[0].removesuffix(".")
    return first[:1].lower() + first[1:]


def _batched(kind: type[ServiceError]) -> type[BaseModel]:
    """Return the type of an error's envelope in a batch, with the status of a single call."""
    status = _described(Literal[kind.status], _STATUS)
    return _envelope(f"Batched{kind.__name__}", kind, (kind.reason,), status=(status, ...))


def _described(kind: Any, description: str, *example: object) -> Any:
    return Annotated[kind, described(description, *example)]


def example_details(kind: type[ServiceError]) -> dict[str, Any] | None:
    """Return the example of details whose fields are optional; None if it can be composed of those of their fields."""
    shown = EXAMPLES.get(kind, EXAMPLES.get(_sent_as(kind)))
    return None if shown is None else {"reason": kind.reason, **shown}


def _sent_as(kind: type[ServiceError]) -> type[ServiceError]:
    return next(parent for parent in kind.__mro__ if parent in DETAILS)


def sent_in(kind: type[ServiceError]) -> Iterator[type[ServiceError]]:
    """Yield an error and those that are sent in its envelope."""
    yield kind
    for narrower in kind.__subclasses__():
        if narrower not in DETAILS:
            yield from sent_in(narrower)


def _envelope(name: str, kind: type[ServiceError], reasons: tuple[Reason, ...], **more: Any) -> type[BaseModel]:
    if name not in _ENVELOPES:
        details = example_details(kind)
        example = () if details is None else (details,)
        _ENVELOPES[name] = create_model(
            name,
            __config__=_CLOSED,
            __doc__=kind.__doc__,
            error=(_Failed, ...),
            message=(_described(str, "What went wrong, in words for people.", message_of(kind)), ...),
            code=(_described(Literal[kind.code], "The kind of the error; several reasons share one."), ...),
            details=(_described(_details(name, kind, reasons), _ABOUT_DETAILS, *example), ...),
            **more,
        )
    return _ENVELOPES[name]


def _details(name: str, kind: type[ServiceError], reasons: tuple[Reason, ...]) -> Any:
    """Return the type of the details in an envelope: those of the error, and its reason."""
    listed = DETAILS[_sent_as(kind)]
    reason = Required[Annotated[Literal[reasons], _REASON]]
    body = {"__annotations__": {"reason": reason}, "__doc__": listed.__doc__}
    return new_class(f"{name}Details", (listed,), exec_body=lambda namespace: namespace.update(body))


def batch_response(name: str, success: Any, *kinds: type[ServiceError]) -> type[BaseModel]:
    """Return the type of a batch's response: for each entry a success envelope, or that of one of these errors."""
    entry = reduce(or_, map(_batched, kinds), success)
    return create_model(
        name,
        __config__=_CLOSED,
        __doc__="For each entry, in order, the envelope that a single call would have returned, with its status.",
        success=(Success, ...),
        data=(_described(list[entry], _ENTRIES), ...),  # type: ignore[valid-type]  # a type that is made here
    )
