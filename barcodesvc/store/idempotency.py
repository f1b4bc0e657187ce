"""Idempotent changes: a request that is sent again under the same key is carried out at most once.

An app that receives no response cannot know whether its request was carried out, and sends it again. The reply is kept
under the key, in the transaction that makes the change, so a retry receives it instead of changing something again. Of
two at the same moment, the later transaction meets the key of the earlier one, at the latest when it keeps its own
reply; then it is begun again. A request that fails leaves no key.

Rules: as long as keys live, a key belongs to one request, identified by its fingerprint; expired keys are
ignored. A key outlives its product: a retry must not change the next product that its scan would find.

Housekeeping deletes expired keys once a minute in the background, in short transactions, so that no change has to do it
while it locks a level.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, Generic, TypeVar

from pydantic_core import to_json

from barcodesvc.clock import Clock, as_timestamp
from barcodesvc.errors import DatabaseFailure, DatabaseOverload, KeyReused, ServiceError
from barcodesvc.models import Draft
from barcodesvc.store.database import Database
from barcodesvc.store.script import Begin, ConflictError, Row, Script, changed_rows, one, run

Asked = TypeVar("Asked", bound=Draft | bytes)
T = TypeVar("T")

_LOG = logging.getLogger(__name__)

KEY = "idempotency_key"
"""The field of a request that has its key."""
AGE = "scanned_ago_ms"
"""A field that grows between two attempts at the same request."""

DELETED_AT_ONCE = 500
"""Keys that one transaction deletes, in about 10 ms; a change that arrives meanwhile waits as long."""
HOUSEKEEPING_PAUSE = 60.0
"""Seconds between two rounds of housekeeping."""


@dataclass(frozen=True, slots=True)
class KeyedRequest(Generic[Asked]):
    """A request with its idempotency key, if any: what it asks for, by which method and path, and when.

    What it asks for is its body, or whatever bytes tell it from another request. `lifetime` is how long the key belongs
    to it.
    """

    asked: Asked
    used_for: str
    key: str | None
    now: str
    lifetime: timedelta

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the request without its key and age; a field with its default value counts as left out."""
        asked: Draft | bytes = self.asked
        content = asked if isinstance(asked, bytes) else asked.model_dump(exclude={KEY, AGE}, exclude_defaults=True)
        return sha256(to_json([self.used_for, content], bytes_mode="base64")).hexdigest()

    @property
    def expired(self) -> str:
        """The time at or before which expired keys were used."""
        return _before(self.now, self.lifetime)

    @property
    def key_parameters(self) -> dict[str, str | None]:
        """The parameters of a statement that looks for a kept reply."""
        return {"idempotency_key": self.key, "expired": self.expired}


@dataclass(frozen=True, slots=True)
class Reply:
    """The body of a response, and whether it is that of an earlier request with the same key."""

    body: bytes
    replayed: bool


def once(request: KeyedRequest[Any], change: Begin[T], body: Callable[[T], bytes]) -> Script[Reply]:
    """Make a change, and keep the body that `body` makes of its result, unless a reply is kept; raises KeyReused."""
    before = yield from _kept(request)
    return before or (yield from unless_kept(request, change, body))


def unless_kept(request: KeyedRequest[Any], change: Begin[T], body: Callable[[T], bytes]) -> Script[Reply]:
    """Do the same with a change that raises a refusal if a reply is kept, which saves a statement."""
    try:
        made = body((yield from change()))
    except ServiceError as refusal:  # perhaps another connection has carried out the same request meanwhile
        return (yield from refused_once(request, refusal))
    if request.key is not None:
        kept = {"used_for": request.used_for, "fingerprint": request.fingerprint, "body": made.decode()}
        if not (yield run("keep_reply", **request.key_parameters, **kept, now=request.now)):
            raise ConflictError
    return Reply(made, replayed=False)


@asynccontextmanager
async def housekeeping(database: Database, clock: Clock, lifetime: timedelta) -> AsyncIterator[None]:
    """Delete keys older than `lifetime` in the background within the block."""
    task = asyncio.create_task(_keep_house(database, clock, lifetime))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _keep_house(database: Database, clock: Clock, lifetime: timedelta) -> None:
    while True:
        await asyncio.sleep(HOUSEKEEPING_PAUSE)
        try:
            await delete_keys(database, _before(clock.timestamp(), lifetime))
        except (DatabaseFailure, DatabaseOverload):
            pass  # the engine has logged it
        except Exception:  # noqa: BLE001 - the next round tries again
            _LOG.exception("unexpected failure while deleting old idempotency keys")


async def delete_keys(database: Database, expired: str) -> None:
    """Delete the keys that were used at or before `expired`; raises DatabaseFailure and DatabaseOverload."""
    some = run("delete_old_keys", expired=expired, limit=DELETED_AT_ONCE)
    while await database.change(partial(changed_rows, some)) == DELETED_AT_ONCE:
        pass


def refused_once(request: KeyedRequest[Any], refusal: ServiceError) -> Script[Reply]:
    """Return the kept reply to a request that would be refused now, as a part of a script; else raise the refusal."""
    before = yield from _kept(request)
    if before is None:
        raise refusal
    return before


async def kept_reply(database: Database, request: KeyedRequest[Any]) -> Reply | None:
    """Return the kept reply to a request, or None; raises KeyReused if the key belongs to another request."""
    return _reply(request, await database.row("get_kept_reply", **request.key_parameters)) if request.key else None


def _kept(request: KeyedRequest[Any]) -> Script[Reply | None]:
    return _reply(request, (yield one("get_kept_reply", **request.key_parameters))) if request.key else None


def _reply(request: KeyedRequest[Any], row: Row | None) -> Reply | None:
    if row is None or request.key is None:
        return None
    used_for, used_at, fingerprint, body = row
    if fingerprint != request.fingerprint:
        raise KeyReused(
            f"the idempotency key was used for another request, {used_for} at {used_at}; a new request needs a new key",
            idempotency_key=request.key,
            used_for=used_for,
            used_at=used_at,
        )
    return Reply(body.encode(), replayed=True)


def _before(now: str, lifetime: timedelta) -> str:
    return as_timestamp(datetime.fromisoformat(now) - lifetime)
