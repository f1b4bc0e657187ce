"""The types of fixtures that tests of several folders use."""

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestClient

from barcodesvc.models import Product

Client = TestClient[web.Request, web.Application]
ClientMaker = Callable[..., Awaitable[Client]]
Add = Callable[..., Awaitable[Product]]
Until = Callable[[Callable[[], bool]], Awaitable[None]]
"""Waits until a condition holds."""
Plan = Callable[[str], list[str]]
"""Returns the plan of a named query."""
Logged = Callable[[int], Awaitable[list[dict[str, Any]]]]
"""Waits for this many lines of the access log, and returns them."""
