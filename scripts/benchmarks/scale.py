"""What a million products cost against ten thousand: a scan, a page, a search, a change of a level.

Both catalogues are alike and served at the same time; each request goes to one and then to the other. The requested
products are spread over the catalogue, and no scan is sent twice. Each search matches as many products in both.
"""

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.benchmarks.catalogues import DIGITS, FEW, MANY, WORD, make_file
from scripts.benchmarks.load import get, post, set_level
from scripts.benchmarks.report import Figure, Target, at_most
from scripts.benchmarks.servers import Server
from scripts.benchmarks.service import serving
from scripts.benchmarks.turns import Contender, Turns, by_turns

TWICE, FIVE_TIMES = at_most(2), at_most(5)
LAST_PAGE_TIME = at_most(150)
"""Milliseconds in the database, which skips all products before the page."""
CONNECTIONS = 4
PAGE = 50
LAST_PAGE = "the last page"
_STRIDE = 7919
"""A prime, so that its multiples reach every product before they repeat."""

Requests = Callable[[int], Iterator[bytes]]
"""The requests of one kind for a catalogue of this many products, without end."""


def on_sqlite() -> Iterator[Figure]:
    """Yield how many times as long each kind of request takes with a million products; for the last page, how long."""
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        paths = {products: Path(folder) / f"{products}.db" for products in (FEW, MANY)}
        for products, path in paths.items():
            make_file(path, products)
        with serving({"database": str(paths[FEW])}) as few, serving({"database": str(paths[MANY])}) as many:
            for name, (_, target) in KINDS.items():
                yield times_as_long(name, by_turns(contenders(name, few, many)), target)
            turns = by_turns(contenders(LAST_PAGE, few, many))
    seconds = turns.cpu_microseconds("many") / 1000  # of the service: SQLite is part of it, so the database takes less
    note = f"{turns.cpu_microseconds('few') / 1000:,.1f} ms among {FEW:,}; {turns.per_second('many'):,.0f} a second"
    yield Figure(f"the last page among {MANY:,} products, processor time", seconds, "ms", LAST_PAGE_TIME, note)


def times_as_long(name: str, turns: Turns, target: Target, more: str = "") -> Figure:
    """Return how many times as long requests take with a million products."""
    note = (
        f"{turns.per_second('few'):,.0f} a second among {FEW:,} products, {turns.per_second('many'):,.0f} among "
        f"{MANY:,}; processor time {turns.cpu_microseconds('few'):,.0f} and {turns.cpu_microseconds('many'):,.0f} µs"
    )
    ratio = turns.speed_ratio("few", "many")
    return Figure(f"{name} among {MANY:,} products, times {FEW:,}", ratio, "x", target, note + more)


def contenders(name: str, few: Server, many: Server) -> dict[str, Contender]:
    """Return the load of a kind of request, or of last pages, for each catalogue."""
    requests = _last_pages if name == LAST_PAGE else KINDS[name][0]
    return {
        "few": Contender(few, few.ports[0], requests(FEW), CONNECTIONS),
        "many": Contender(many, many.ports[0], requests(MANY), CONNECTIONS),
    }


def _numbers(products: int) -> Iterator[int]:
    return (number * _STRIDE % products for number in itertools.count())


def _scans(products: int) -> Iterator[bytes]:
    for sent, number in enumerate(_numbers(products)):
        yield post("/api/codes/decode", json.dumps({"code_data": f"AB-{number:08}", "code_type": str(sent)}))


def _level_changes(products: int) -> Iterator[bytes]:
    return (set_level(number + 1, level) for level, number in enumerate(_numbers(products)))


def _pages(query: str = "") -> Requests:
    return lambda _: itertools.repeat(get(f"/api/products{query}"))


def _last_pages(products: int) -> Iterator[bytes]:
    return itertools.repeat(get(f"/api/products?page={products // PAGE}"))


KINDS: Mapping[str, tuple[Requests, Target]] = {
    "decode": (_scans, TWICE),
    "page 1": (_pages(), TWICE),
    "page 1 by current_level": (_pages("?sort=current_level"), TWICE),
    "a level change": (_level_changes, TWICE),
    "a search for a word": (_pages(f"?search={WORD}"), FIVE_TIMES),
    "a search for digits of a code": (_pages(f"?search={DIGITS}"), FIVE_TIMES),
}
