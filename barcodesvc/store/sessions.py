"""The web app's sessions in the database: the key that signs their cookies, and the sessions that were logged out.

A session exists only in its signed cookie. So the database remembers sessions that ended early, until their cookies
expire; otherwise copies of these would open the service again.
"""

import secrets

from barcodesvc.store.database import Database
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


async def is_ended(database: Database, session_id: str) -> bool:
    """Return whether a session was logged out."""
    return await database.row("get_ended_session", session_id=session_id) is not None


async def end_session(database: Database, session_id: str, *, now: str, expires: str) -> None:
    """Remember until `expires` that a session was logged out, and delete expired entries."""

    def script() -> Script[None]:
        yield run("forget_ended_sessions", now=now)
        yield run("end_session", session_id=session_id, expires_at=expires)

    await database.change(script)
