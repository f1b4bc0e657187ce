"""A test's HTTP server that leaves no connection open."""

import asyncio

from aiohttp.test_utils import TestServer


class ClosingServer(TestServer):
    """Closes what it accepted while it stopped, too; aiohttp's own leaves that to the garbage collector."""

    async def close(self) -> None:
        """Stop, and close all connections."""
        listening = self.runner and self.runner.server
        await super().close()
        if listening:
            await asyncio.sleep(0)
            await listening.shutdown(0)
