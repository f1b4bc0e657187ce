"""Requests that may be sent again, each made at most once per idempotency key.

An app that gets no answer cannot know whether its request was taken, and sends it again. Under a key the answer is kept
in the transaction that makes the change, so that the second send gets it instead of changing once more. Of two at the
same moment, the later transaction finds the key of the earlier one where that is what refuses it, and at the latest
when it keeps its own: then it is begun anew. A send that fails leaves no key behind.

Rules: a key stands for one request, known by its fingerprint, as long as keys live; expired keys count for nothing, and
each change clears some of them away. Of more than MOST_KEYS the oldest go. A key outlives its product: what is sent
again must not be made on the next product that its scan would find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Generic, TypeVar

from pydantic_core import to_json

from barcodesvc.clock import as_timestamp
from barcodesvc.errors import KeyReused, ServiceError
from barcodesvc.models import Draft
from barcodesvc.store.database import Database
from barcodesvc.store.script import MetAnotherChangeError, Row, Script, Statement, one, run

Asked = TypeVar("Asked", bound=Draft)

CLEARED_AT_ONCE = 100
"""Keys that one change clears away at the most; it adds one."""
MOST_KEYS = 10_000_000
"""Keys in a database, some 8 GB of them."""


@dataclass(frozen=True, slots=True)
class Send(Generic[Asked]):
    """A request as it came in: what it asks for, by which method and path, under which key if any, and when.

    `lifetime` is how long a key stands for its request.
    """

    asked: Asked
    used_for: str
    key: str | None
    now: str
    lifetime: timedelta

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the request but for its key; a field at its default is the same as one left out."""
        content = self.asked.model_dump(exclude={"idempotency_key"}, exclude_defaults=True)
        return sha256(to_json([self.used_for, content])).hexdigest()

    @property
    def expired(self) -> str:
        """The time at or before which a key must have been used to be expired now."""
        return as_timestamp(datetime.fromisoformat(self.now) - self.lifetime)


@dataclass(frozen=True, slots=True)
class Answer:
    """The body of an answer, and whether it is that of an earlier send."""

    body: bytes
    replayed: bool


def once(send: Send[Any], make: Callable[[], Script[bytes]]) -> Script[Answer]:
    """Make an answer and keep it, unless the send was answered before; as a part of a script. Raises KeyReused."""
    before = yield from _kept(send)
    if before:
        return before
    try:
        body = yield from make()
    except ServiceError as refusal:
        return (yield from refused_once(send, refusal))  # by what the same send, on another connection, has made since
    if send.key is not None and not (yield _keep(send, body)):
        raise MetAnotherChangeError
    return Answer(body, replayed=False)


def forget_keys(send: Send[Any]) -> Script[None]:
    """Clear some keys away that have expired, or that are too many, as a part of a script."""
    yield run("forget_answers", expired=send.expired, limit=CLEARED_AT_ONCE)
    yield run("forget_surplus", most=MOST_KEYS, limit=CLEARED_AT_ONCE)


def refused_once(send: Send[Any], refusal: ServiceError) -> Script[Answer]:
    """Give the answer to an earlier send of the same request, as a part of a script; raises the refusal without one.

    What was made before is answered as it was, though it would be refused now.
    """
    before = yield from _kept(send)
    if before is None:
        raise refusal
    return before


async def answered_before(database: Database, send: Send[Any]) -> Answer | None:
    """Return the answer to an earlier send of the same request, or None; raises KeyReused for another request."""
    return _answered(send, await database.row("get_kept_answer", **_key(send))) if send.key else None


def _kept(send: Send[Any]) -> Script[Answer | None]:
    return _answered(send, (yield one("get_kept_answer", **_key(send)))) if send.key else None


def _key(send: Send[Any]) -> dict[str, str | None]:
    return {"idempotency_key": send.key, "expired": send.expired}


def _answered(send: Send[Any], row: Row | None) -> Answer | None:
    if row is None:
        return None
    used_for, used_at, fingerprint, body = row
    if fingerprint != send.fingerprint:
        raise KeyReused(
            f"the idempotency key was used for another request, {used_for} at {used_at}; a new count needs a new key",
            idempotency_key=send.key,
            used_for=used_for,
            used_at=used_at,
        )
    return Answer(body.encode(), replayed=True)


def _keep(send: Send[Any], body: bytes) -> Statement:
    return run(
        "keep_answer",
        idempotency_key=send.key,
        used_for=send.used_for,
        fingerprint=send.fingerprint,
        answer=body.decode(),
        now=send.now,
        expired=send.expired,
    )
