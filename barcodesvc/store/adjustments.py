"""Level adjustments by a difference, each at most once per idempotency key.

An app that gets no answer cannot know whether its count was taken, and sends it again. Under a key the answer is kept
in the transaction that changes the level, so that the second send gets it instead of counting once more; of two at
the same moment, the later transaction finds the key of the earlier one. A send that fails leaves no key behind.

Rules: a key stands for one request, known by its fingerprint, for 24 hours; expired keys count for nothing, and each
adjustment clears some of them away. A key outlives its product: what is sent again must not be counted on the next
product that its scan would find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from pydantic_core import to_json

from barcodesvc.clock import as_timestamp
from barcodesvc.errors import KeyReused, LevelOutOfRange, ServiceError
from barcodesvc.models import MAX_LEVEL, LevelAdjustment, LevelChange
from barcodesvc.store.database import Database
from barcodesvc.store.products import no_such_product
from barcodesvc.store.script import Row, Script, Statement, one, run

KEPT = timedelta(hours=24)
"""How long a key stands for its request."""
CLEARED_AT_ONCE = 100
"""Expired keys that one adjustment clears away at the most; it adds one."""


@dataclass(frozen=True, slots=True)
class Send:
    """An adjustment as it came in: by which method and path, under which key if any, and when."""

    adjustment: LevelAdjustment
    used_for: str
    key: str | None
    now: str

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the request but for its key; a field at its default is the same as one left out."""
        content = self.adjustment.model_dump(exclude={"idempotency_key"}, exclude_defaults=True)
        return sha256(to_json([self.used_for, content])).hexdigest()

    @property
    def expired(self) -> str:
        """The time at or before which a key must have been used to be expired now."""
        return as_timestamp(datetime.fromisoformat(self.now) - KEPT)


@dataclass(frozen=True, slots=True)
class Answer:
    """The body of an answer, and whether it is that of an earlier send."""

    body: bytes
    replayed: bool


async def adjust_level(
    database: Database, product_id: int, send: Send, answer: Callable[[LevelChange], bytes]
) -> Answer:
    """Add to the level and record the change, unless the send was answered before; return what `answer` makes of it.

    Raises ProductNotFound, LevelOutOfRange and KeyReused.
    """

    def script() -> Script[Answer]:
        before = _answered(send, (yield one("get_kept_answer", **_key(send)))) if send.key else None
        if before:
            return before
        body = answer((yield from _change(product_id, send)))
        if send.key is not None:
            yield _keep(send, body)
        yield run("forget_answers", expired=send.expired, limit=CLEARED_AT_ONCE)
        return Answer(body, replayed=False)

    return await database.change(script)


async def answered_before(database: Database, send: Send) -> Answer | None:
    """Return the answer to an earlier send of the same request, or None; raises KeyReused for another request."""
    return _answered(send, await database.row("get_kept_answer", **_key(send))) if send.key else None


def _key(send: Send) -> dict[str, str | None]:
    return {"idempotency_key": send.key, "expired": send.expired}


def _answered(send: Send, row: Row | None) -> Answer | None:
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


def _change(product_id: int, send: Send) -> Script[LevelChange]:
    adjustment = send.adjustment
    booked = {"product_id": product_id, "updated_by": adjustment.updated_by, "now": send.now}
    row = yield one(
        "insert_adjustment",
        delta=adjustment.delta,
        greatest_level=MAX_LEVEL,
        change_reason=adjustment.change_reason,
        **booked,
    )
    if row is None:
        raise _refusal(product_id, adjustment.delta, (yield one("get_level", product_id=product_id)))
    change = LevelChange(*row)
    yield run("set_level", new_level=change.new_level, **booked)
    return change


def _refusal(product_id: int, delta: int, level: Row | None) -> ServiceError:
    if level is None:
        return no_such_product(product_id)
    code, current = level[2], level[4]
    least, greatest = -current, MAX_LEVEL - current
    return LevelOutOfRange(
        f"the level of {code!r} is {current}; a delta from {least} to {greatest} is possible, not {delta}; "
        "nothing was changed",
        product_code=code,
        current_level=current,
        least_delta=least,
        greatest_delta=greatest,
    )


def _keep(send: Send, body: bytes) -> Statement:
    return run(
        "keep_answer",
        idempotency_key=send.key,
        used_for=send.used_for,
        fingerprint=send.fingerprint,
        answer=body.decode(),
        now=send.now,
    )
