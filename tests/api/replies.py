"""Checks of refusals, which return what the response says."""

from typing import Any

from aiohttp import ClientResponse


async def refused(response: ClientResponse, status: int, code: str) -> dict[str, Any]:
    """Check status, code and envelope of an error, and return it."""
    reply: dict[str, Any] = await response.json()
    assert (response.status, response.content_type, reply.get("code")) == (status, "application/json", code), reply
    assert set(reply) == {"error", "message", "code", "details"}
    assert reply["error"] is True
    assert reply["message"]
    assert isinstance(reply["details"], dict)
    return reply


async def problems(response: ClientResponse) -> dict[str, str]:
    """Check a validation error, and return its messages by field."""
    reply = await refused(response, 400, "VALIDATION_ERROR")
    return {problem["field"]: problem["message"] for problem in reply["details"]["errors"]}
