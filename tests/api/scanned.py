"""What scans change, as the API shows it."""

from tests.fixture_types import Client


async def level(client: Client) -> int:
    """Return the level of the first product."""
    return int((await (await client.get("/api/inventory")).json())["data"][0]["current_level"])
