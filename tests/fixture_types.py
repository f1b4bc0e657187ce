"""The types of fixtures that tests of several folders use."""

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestClient

from barcodesvc.models import Product

Client = TestClient[web.Request, web.Application]
ClientMaker = Callable[..., Awaitable[Client]]
Problems = Callable[[ClientResponse], Awaitable[dict[str, str]]]
"""Returns the problems of a refusal, by field."""
Refused = Callable[[ClientResponse, int, str], Awaitable[dict[str, Any]]]
"""Checks status and code of a refusal, and returns it."""
Raw = Callable[..., Awaitable[bytes]]
"""Sends bytes over a new connection, and returns the response."""
Add = Callable[..., Awaitable[Product]]
Until = Callable[[Callable[[], bool]], Awaitable[None]]
"""Waits until a condition holds."""
Plan = Callable[[str], list[str]]
"""Returns the plan of a named query."""
Logged = Callable[[int], Awaitable[list[dict[str, Any]]]]
"""Waits for this many lines of the access log, and returns them."""
