"""Sheets of CODE128 labels with descriptions: whole responses against reportlab's, and ten times as many labels.

A sheet is A4 with 3 x 8 labels. All of its codes differ, and so do consecutive sheets. Responses come one after the
other; every ratio compares times, so less is better.
"""

import json
from collections.abc import Iterator
from itertools import cycle

from barcodesvc.models import ProductDraft
from scripts.benchmarks.codes import PEERS, short_code
from scripts.benchmarks.load import post
from scripts.benchmarks.report import Figure, at_most
from scripts.benchmarks.servers import Server, running_module
from scripts.benchmarks.service import serving
from scripts.benchmarks.turns import Contender, by_turns, times

PRINTABLE = "/api/codes/printable"
LAYOUT = {"page_size": "A4", "labels_per_row": 3, "labels_per_column": 8, "include_description": True}
FEW, MANY = 1000, 10_000
"""Labels; the catalogue has as many products as the larger sheets have labels."""
REPORTLAB = at_most(0.6)
GROWTH = at_most(12)
ROUNDS = 5
_SHEETS = 5
"""How many different sheets there are before the first one repeats."""
_THREADS = (4, 5, 6, 8, 10, 12)


def sheets() -> Iterator[Figure]:
    """Yield the time as a multiple of reportlab's, and how long ten times as many labels take."""
    products = [ProductDraft(product_code=code, description=description(code)) for code in map(short_code, range(MANY))]
    with serving(products=products) as server:
        with running_module(PEERS, "labels") as peer:
            turns = by_turns({"few": _printing(server, FEW), "reportlab": _printing(peer, FEW)}, ROUNDS)
        yield times(f"{FEW:,} labels, response time, times reportlab's widgets", turns, ("few", "reportlab"), REPORTLAB)
        with serving(products=products) as other:
            turns = by_turns({"few": _printing(server, FEW), "many": _printing(other, MANY)}, ROUNDS)
        yield times(f"{MANY:,} labels, response time, times {FEW:,} labels", turns, ("many", "few"), GROWTH)


def description(code: str) -> str:
    """Return the description of the product with a short code, one line on a label, different from all others."""
    number = int(code.rpartition("-")[2])
    return f"Hex bolt M{_THREADS[number % len(_THREADS)]} x {20 + number % 45}, zinc, bin {number}"


def _printing(server: Server, labels: int) -> Contender:
    """Return the load of sheets with so many labels, made beforehand; each begins at another product."""
    codes = [short_code(number) for number in range(MANY)]
    bodies = [
        json.dumps({"products": (codes[start:] + codes[:start])[:labels], "code_type": "CODE128", "layout": LAYOUT})
        for start in range(0, MANY, MANY // _SHEETS)
    ]
    return Contender(server, server.ports[0], cycle([post(PRINTABLE, body) for body in bodies]), connections=1)
