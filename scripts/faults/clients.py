"""Clients that change a catalogue in every way while a service fails and returns, and record its responses.

Each change has a unique reason, so the history shows how often it was made. One under an idempotency key is sent until
it is answered; one that expects a level is sent once.
"""

import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count
from typing import Any

from tests.forms import KIND, form, part
from tests.served import WAIT
from tests.servers.balancer import LOOPBACK
from tests.workbooks import xlsx

PRODUCTS = 40
"""Products that all clients count."""
_ROWS = 20
_PAUSE = 0.02
"""Seconds between two requests of a client, and after a failed one."""
_NAMES = count(1)
_GATEWAY = "GENERATION_ERROR"
_STORE = "DATABASE_ERROR"


@dataclass(frozen=True, slots=True)
class Response:
    """The status of a response, its body as JSON, and how many seconds it took."""

    status: int
    body: Any
    seconds: float

    @property
    def code(self) -> str:
        """The code of a failure, otherwise ""."""
        return str(self.body.get("code", "")) if isinstance(self.body, dict) else ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A failed request: when it was under way, and how; `is_of_store` if a replica blames its database."""

    begun: float
    ended: float
    what: str
    is_of_store: bool


@dataclass(slots=True)
class Book:
    """The responses that all clients got; shared by their threads."""

    made: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """By reason: product, old and new level of a confirmed change."""
    open: set[str] = field(default_factory=set)
    """Reasons of changes that were sent once and not answered."""
    refused: set[str] = field(default_factory=set)
    products: dict[str, bool | None] = field(default_factory=dict)
    """Whether a product that was created, and perhaps deleted, is there; None if that was not answered."""
    imports: list[tuple[list[str], bool]] = field(default_factory=list)
    exports: int = 0
    slowest: float = 0.0
    troubles: list[Trouble] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)


class Client:
    """Sends one request after the other, until it is stopped."""

    def __init__(self, port: int, seed: int, book: Book, stop: threading.Event) -> None:
        self._port = port
        self._random = random.Random(seed)  # noqa: S311 - a load
        self._book = book
        self._stop = stop
        self._levels = dict.fromkeys(range(1, PRODUCTS + 1), 1000)
        self._created: list[tuple[str, int]] = []

    def create_products(self) -> None:
        """Create the products that all clients count."""
        for number in range(1, PRODUCTS + 1):
            body = {"product_code": _code_of(number), "description": "thing", "initial_level": 1000}
            if self._call("POST", "/api/products", body, "application/json").status != HTTPStatus.CREATED:
                raise SystemExit("the service accepts no products")

    def run(self) -> None:
        """Send requests until the end; those to be repeated are repeated even after it."""
        acts = (self._scan, self._scans, self._set, self._create, self._delete, self._import, self._export)
        try:
            while not self._stop.is_set():
                [act] = self._random.choices(acts, (40, 10, 30, 10, 5, 3, 3))
                act()
                time.sleep(_PAUSE)
        except BaseException as error:
            self._book.wrong[f"a client broke off: {error!r}"] += 1
            raise

    def _scan(self) -> None:
        """Count a product; every third scan is sent twice, like one whose response was lost."""
        number, body = self._random.randrange(1, PRODUCTS + 1), self._adjustment()
        body |= {"code_data": _code_of(number)}
        for _ in range(self._random.choice((1, 1, 2))):
            response = self._until_answered("POST", "/api/codes/scan", body)
            if response.status == HTTPStatus.OK:
                self._note(body["change_reason"], response.body["data"]["change"])
            else:
                self._book.wrong[f"a scan: {response.status} {response.code}"] += 1

    def _scans(self) -> None:
        scans = [
            {**self._adjustment(), "code_data": _code_of(self._random.randrange(1, PRODUCTS + 1))} for _ in range(5)
        ]
        waiting = scans
        while waiting:
            response = self._until_answered("POST", "/api/codes/scans", {"scans": waiting})
            waiting = list(self._unanswered(waiting, response))

    def _unanswered(self, scans: list[dict[str, Any]], response: Response) -> Iterator[dict[str, Any]]:
        """Record each scan of a batch that was made, and yield the others."""
        if response.status != HTTPStatus.OK:
            self._book.wrong[f"a batch: {response.status} {response.code}"] += 1
            return
        for scan, one in zip(scans, response.body["data"], strict=True):
            if one.get("error"):
                if one["code"] != _STORE:
                    self._book.wrong[f"a scan of a batch: {one['code']}"] += 1
                    continue
                self._trouble(time.monotonic() - response.seconds, "batch", of_store=True)
                yield scan
            else:
                self._note(scan["change_reason"], one["data"]["change"])

    def _set(self) -> None:
        """Set a level as it was last seen, like a person who has counted."""
        product, reason = self._random.randrange(1, PRODUCTS + 1), f"set-{next(_NAMES)}"
        body = {"new_level": self._random.randrange(1000, 2000), "expected_level": self._levels[product]}
        response = self._sent("PUT", f"/api/inventory/{product}", body | {"change_reason": reason})
        if response is None:
            self._book.open.add(reason)
        elif response.status == HTTPStatus.OK:
            self._levels[product] = body["new_level"]
            self._book.made[reason] = (product, body["expected_level"], body["new_level"])
        elif response.status == HTTPStatus.CONFLICT:
            self._levels[product] = response.body["details"]["current_level"]
            self._book.refused.add(reason)
        else:
            self._book.wrong[f"a set level: {response.status}"] += 1

    def _create(self) -> None:
        code = f"created-{next(_NAMES)}"
        self._book.products[code] = None
        response = self._sent("POST", "/api/products", {"product_code": code, "description": "thing"})
        if response is None:
            return
        if response.status == HTTPStatus.CREATED:
            self._book.products[code] = True
            self._created.append((code, response.body["data"]["id"]))
        else:
            self._book.wrong[f"a new product: {response.status}"] += 1

    def _delete(self) -> None:
        """Delete a product that this client has created."""
        if not self._created:
            return
        code, number = self._created.pop()
        self._book.products[code] = None
        response = self._sent("DELETE", f"/api/products/{number}")
        if response and response.status == HTTPStatus.OK:
            self._book.products[code] = False
        elif response:
            self._book.wrong[f"a deletion: {response.status}"] += 1

    def _import(self) -> None:
        codes = [f"row-{next(_NAMES)}" for _ in range(_ROWS)]
        workbook = form(part("file", xlsx([("SKU", "Name"), *((code, f"thing {code}") for code in codes)])))
        response = self._sent("POST", "/api/products/import", workbook, KIND)
        if response and response.status == HTTPStatus.TOO_MANY_REQUESTS:
            return
        is_made = response is not None and response.status == HTTPStatus.OK
        self._book.imports.append((codes, is_made))
        if response and not is_made:
            self._book.wrong[f"an import: {response.status}"] += 1

    def _export(self) -> None:
        response = self._sent("GET", "/api/inventory/export?format=csv")
        if response is None:
            return
        lines = response.body.decode().splitlines() if isinstance(response.body, bytes) else []
        if response.status != HTTPStatus.OK or len(lines) <= PRODUCTS:
            self._book.wrong[f"an export: {response.status} with {len(lines)} lines"] += 1
        self._book.exports += 1

    def _adjustment(self) -> dict[str, Any]:
        reason = f"count-{next(_NAMES)}"
        return {"delta": self._random.randrange(1, 4), "idempotency_key": reason, "change_reason": reason}

    def _note(self, reason: str, change: dict[str, Any]) -> None:
        self._levels[change["product_id"]] = change["new_level"]
        self._book.made[reason] = (change["product_id"], change["old_level"], change["new_level"])

    def _until_answered(self, method: str, path: str, body: object) -> Response:
        while True:
            response = self._sent(method, path, body)
            if response:
                return response
            time.sleep(_PAUSE)

    def _sent(self, method: str, path: str, body: object = None, kind: str = "application/json") -> Response | None:
        """Send a request; return None if it failed, which is recorded."""
        begun = time.monotonic()
        try:
            response = self._call(method, path, body, kind)
        except (OSError, http.client.HTTPException) as error:
            self._trouble(begun, f"{method} {path}: {type(error).__name__}", of_store=False)
            return None
        finally:
            self._book.slowest = max(self._book.slowest, time.monotonic() - begun)
        if response.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return response
        self._trouble(begun, f"{method} {path}: {response.status} {response.body}", of_store=response.code != _GATEWAY)
        return None

    def _trouble(self, begun: float, what: str, *, of_store: bool) -> None:
        self._book.troubles.append(Trouble(begun, time.monotonic(), what, of_store))

    def _call(self, method: str, path: str, body: object, kind: str) -> Response:
        sent = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        begin = time.perf_counter()
        with closing(http.client.HTTPConnection(LOOPBACK, self._port, timeout=WAIT)) as connection:
            connection.request(method, path, sent, {"Content-Type": kind})
            response = connection.getresponse()
            content: Any = response.read()
        with suppress(ValueError):
            content = json.loads(content)
        return Response(response.status, content, time.perf_counter() - begin)


def _code_of(number: int) -> str:
    """Return the code of a product that all clients count, by its id."""
    return f"P-{number}"


@contextmanager
def busy(clients: Sequence[Client], stop: threading.Event) -> Iterator[None]:
    """Let clients work inside the block, each in a thread; then stop them and wait for them to end."""
    threads = [threading.Thread(target=client.run) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
