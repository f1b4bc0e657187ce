"""What the page's sessions need in the database: the key that signs their cookies, and those that were logged out.

A session itself is written nowhere: its signed cookie is all there is of it. So only the end of one, before its time,
has to be remembered, and a restart must not undo it.

Rule: what is remembered has a bound. An entry goes with the cookie that it is about; where there are too many all the
same, the key is changed, which ends every session there is, and nothing is left to remember.
"""

from __future__ import annotations

import secrets

from barcodesvc.store.database import Database, Reader
from barcodesvc.store.script import Script, one, run

KEY_BYTES = 32


async def signing_key(database: Database) -> bytes:
    """Return the key that signs cookies; made here where there is none yet."""
    row = await database.row("get_session_key")
    return bytes.fromhex(row[0]) if row else await database.change(_first_key)


def _first_key() -> Script[bytes]:
    yield run("make_session_key", session_key=secrets.token_hex(KEY_BYTES))
    (key,) = yield one("get_session_key")
    return bytes.fromhex(key)


async def ended_sessions(reader: Reader, now: str) -> dict[str, str]:
    """Return the sessions that were logged out, with the times until which that counts, in the order of these."""
    return dict(await reader.rows("list_ended_sessions", now=now))


async def end_session(database: Database, session_id: str, *, now: str, expires: str) -> None:
    """Remember until `expires` that a session was logged out, and forget those whose time has come."""

    def script() -> Script[None]:
        yield run("forget_ended_sessions", now=now)
        yield run("end_session", session_id=session_id, expires_at=expires)

    await database.change(script)


async def end_all_sessions(database: Database) -> bytes:
    """Change the key, which ends every session, and return the new one."""
    key = secrets.token_bytes(KEY_BYTES)

    def script() -> Script[None]:
        yield run("change_session_key", session_key=key.hex())
        yield run("forget_all_ended_sessions")

    await database.change(script)
    return key
