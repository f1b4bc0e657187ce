"""API calls as values, and the responses of a service with one product."""

from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientResponse

from tests.fixture_types import Client
from tests.forms import form_data

NOON = "2023-11-14T22:13:20.000Z"


PEN = {
    "id": 1,
    "product_code": "A-1",
    "description": "Blue pen",
    "category": "Pens",
    "unit_of_measure": "box",
    "created_at": NOON,
    "updated_at": NOON,
    "retired": False,
    "attributes": {},
}

SCANNED_PEN = {
    "id": 1,
    "product_code": "A-1",
    "description": "Blue pen",
    "category": "Pens",
    "retired": False,
    "attributes": {},
}
"""The same product, as a scan shows it."""


@dataclass(frozen=True)
class Call:
    """One request; its path may contain the id of the only product.

    Its body is JSON, a PNG, or a form of a workbook and of the texts in `json`.
    """

    method: str
    path: str
    json: Any = None
    params: dict[str, str] = field(default_factory=dict)
    png: bytes = b""
    workbook: bytes = b""

    async def send(self, client: Client, headers: dict[str, str] | None = None) -> ClientResponse:
        """Send the request."""
        body = {} if self.json is None else {"json": self.json}
        if self.workbook:
            body = {"data": form_data(self.workbook, **self.json)}
        if self.png:
            body, headers = {"data": self.png}, {**(headers or {}), "Content-Type": "image/png"}
        return await client.request(self.method, self.path, params=self.params, headers=headers, **body)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


async def product_count(client: Client) -> int:
    """Return how many products there are."""
    return int((await (await client.get("/api/products")).json())["pagination"]["total"])
