"""Another replica's transaction that blocks a test's action."""

import asyncio

import asyncpg

_WAITING = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted"


async def until_one_waits(connection: asyncpg.Connection) -> None:
    """Wait until a transaction waits for another one, at most ten seconds."""
    async with asyncio.timeout(10.0):
        while not await connection.fetchval(_WAITING):  # noqa: ASYNC110 - the server sends no event
            await asyncio.sleep(0.01)
