"""Clients that change a catalogue in every way until the service dies, and record its responses.

Each client has its own products, so it knows the state of each: that of its last response, or that which the one
request under way when the service died would have made.
"""

import http.client
import random
import threading
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from scripts.faults.stored_service import StoredService
from tests.forms import KIND, form, part
from tests.workbooks import xlsx

GONE = -1
"""The level of a product that does not exist."""
_OK, _CREATED = 200, 201
_IMPORTED = 20
_NAMES = count(1)


@dataclass(slots=True)
class Known:
    """A product: its id and its confirmed level; the level that an unanswered request may have set."""

    id: int
    level: int
    unanswered: list[int] = field(default_factory=list)
    repeated: tuple[dict[str, Any], int] | None = None
    """An adjustment that was sent under a key, and the level with it counted once."""


class Client:
    """Sends one change after the other."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a load
        self.products: dict[str, Known] = {}
        self.uncertain: dict[str, None] = {}
        self.imports: list[tuple[list[str], bool]] = []
        self.answered = 0
        self.wrong: list[str] = []

    def run(self, service: StoredService) -> None:
        """Change things until the service is gone."""
        try:
            while True:
                self._step(service)
                self.answered += 1
        except (OSError, http.client.HTTPException):
            return

    def _step(self, service: StoredService) -> None:
        chance = self._random.random()
        known = [code for code, product in self.products.items() if product.level != GONE]
        if not known or chance < 0.25:  # noqa: PLR2004 - shares of the mix, as below
            self._create(service)
        elif chance < 0.5:  # noqa: PLR2004
            self._set(service, self.products[self._random.choice(known)])
        elif chance < 0.9:  # noqa: PLR2004
            self._adjust(service, self.products[self._random.choice(known)])
        elif chance < 0.97:  # noqa: PLR2004
            self._delete(service, self.products[self._random.choice(known)])
        else:
            self._import(service)

    def _create(self, service: StoredService) -> None:
        code, level = f"code-{next(_NAMES)}", self._random.randrange(100)
        self.uncertain[code] = None
        body = {"product_code": code, "description": f"thing {code}", "category": "c", "initial_level": level}
        response = service.ask("POST", "/api/products", body)
        del self.uncertain[code]
        if self._is(response.status, _CREATED, "create"):
            self.products[code] = Known(response.body["data"]["id"], level)

    def _set(self, service: StoredService, product: Known) -> None:
        level = self._random.randrange(1000)
        product.repeated = None
        product.unanswered.append(level)
        if self._is(service.ask("PUT", f"/api/inventory/{product.id}", {"new_level": level}).status, _OK, "set"):
            product.level = level
        product.unanswered.clear()

    def _adjust(self, service: StoredService, product: Known) -> None:
        delta = self._random.randrange(1, 10)
        body, level = {"delta": delta, "idempotency_key": f"key-{next(_NAMES)}"}, product.level + delta
        product.unanswered.append(level)
        product.repeated = (body, level)
        if self._is(service.ask("POST", f"/api/inventory/{product.id}/adjust", body).status, _OK, "adjust"):
            product.level = level
        product.unanswered.clear()

    def _delete(self, service: StoredService, product: Known) -> None:
        product.repeated = None
        product.unanswered.append(GONE)
        if self._is(service.ask("DELETE", f"/api/products/{product.id}").status, _OK, "delete"):
            product.level = GONE
        product.unanswered.clear()

    def _import(self, service: StoredService) -> None:
        codes = [f"row-{next(_NAMES)}" for _ in range(_IMPORTED)]
        self.imports.append((codes, False))
        response = service.ask("POST", "/api/products/import", workbook_form(codes), KIND)
        if response.status == http.HTTPStatus.TOO_MANY_REQUESTS:
            self.imports.pop()
        elif self._is(response.status, _OK, "import"):
            self.imports[-1] = (codes, True)

    def _is(self, status: int, wanted: int, what: str) -> bool:
        if status != wanted:
            self.wrong.append(f"{what} {status}")
        return status == wanted


def workbook_form(codes: list[str]) -> bytes:
    """Return the form that imports products with these codes."""
    return form(part("file", xlsx([("SKU", "Name"), *((code, f"thing {code}") for code in codes)])))


def write_until_killed(service: StoredService, clients: list[Client], seconds: float) -> None:
    """Let the clients change things for this long, and kill the service meanwhile."""
    threads = [threading.Thread(target=client.run, args=(service,)) for client in clients]
    for thread in threads:
        thread.start()
    threading.Event().wait(seconds)
    service.kill()
    for thread in threads:
        thread.join()
