"""The page's sessions in the database: the key that signs their cookies, and the sessions that were logged out.

A session exists only in its signed cookie. So the database remembers sessions that ended early, and a restart does not
revive them.

Rule: this memory is limited. An entry is deleted when its cookie expires. If there are still too many, the key is
replaced, which ends every session, and all entries are deleted.
"""

from __future__ import annotations

import secrets

from barcodesvc.store.database import Database, Reader
from barcodesvc.store.script import Script, one, run

KEY_BYTES = 32


async def signing_key(database: Database) -> bytes:
    """Return the key that signs cookies; the first call creates it."""
    row = await database.row("get_session_key")
    return bytes.fromhex(row[0]) if row else await database.change(_first_key)


def _first_key() -> Script[bytes]:
    yield run("make_session_key", session_key=secrets.token_hex(KEY_BYTES))
    (key,) = yield one("get_session_key")
    return bytes.fromhex(key)


async def ended_sessions(reader: Reader, now: str) -> dict[str, str]:
    """Return the ids of logged-out sessions with the times at which their cookies expire, the earliest first."""
    return dict(await reader.rows("list_ended_sessions", now=now))


async def end_session(database: Database, session_id: str, *, now: str, expires: str) -> None:
    """Remember until `expires` that a session was logged out, and delete expired entries."""

    def script() -> Script[None]:
        yield run("forget_ended_sessions", now=now)
        yield run("end_session", session_id=session_id, expires_at=expires)

    await database.change(script)


async def end_all_sessions(database: Database) -> bytes:
    """Replace the key, which ends every session, and return the new one."""
    key = secrets.token_bytes(KEY_BYTES)

    def script() -> Script[None]:
        yield run("change_session_key", session_key=key.hex())
        yield run("forget_all_ended_sessions")

    await database.change(script)
    return key
