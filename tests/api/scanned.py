"""Scanning over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.api.drawn_codes import drawn
from tests.fixture_types import Client

DECODE = "/api/codes/decode"


GTIN = "4006381333931"


async def created(client: Client, *codes: str) -> list[int]:
    """Create products and return their ids."""
    responses = [await client.post("/api/products", json={"product_code": code, "description": "x"}) for code in codes]
    return [(await response.json())["data"]["id"] for response in responses]


async def level(client: Client) -> int:
    """Return the level of the first product."""
    return int((await (await client.get("/api/inventory")).json())["data"][0]["current_level"])


@asynccontextmanager
async def stocked(client: Client, *codes: str) -> AsyncIterator[None]:
    """Keep products with these codes within the block."""
    ids = await created(client, *codes)
    try:
        yield
    finally:
        for number in ids:
            await client.delete(f"/api/products/{number}")


async def scanned(client: Client, code_data: str, **hint: str) -> Any:
    """Return the whole response to a scan."""
    return await (await client.post(DECODE, json={"code_data": code_data, **hint})).json()


async def scanned_level(client: Client, code_data: str) -> int:
    """Return the level that a scan shows."""
    level: int = (await drawn(client, "decode", code_data=code_data))["inventory"]["current_level"]
    return level
