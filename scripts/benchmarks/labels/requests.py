"""The requests of the benchmarks of labels, in the service's format, which the peer accepts as well.

A sheet is A4 with 3 x 8 labels and descriptions. All of its codes differ, and so do consecutive sheets.
"""

import json
from collections.abc import Iterator
from itertools import cycle

from scripts.benchmarks.load import post

PRINTABLE = "/api/codes/printable"
DECODE = "/api/codes/decode"
PRODUCTS = 10_000
LAYOUT = {"page_size": "A4", "labels_per_row": 3, "labels_per_column": 8, "include_description": True}

_SHEETS = 5
"""How many different sheets there are before the first one repeats."""
_THREADS = (4, 5, 6, 8, 10, 12)


def product_code(number: int) -> str:
    """Return the code of a product, such as `AB-00000017`."""
    return f"AB-{number:08}"


def description(number: int) -> str:
    """Return the description of a product, one line on a label, different from all others."""
    return f"Hex bolt M{_THREADS[number % len(_THREADS)]} x {20 + number % 45}, zinc, bin {number}"


def sheet(codes: list[str], code_type: str) -> bytes:
    """Return the request of a sheet."""
    body = {"products": codes, "code_type": code_type, "layout": LAYOUT}
    return post(PRINTABLE, json.dumps(body).encode())


def sheets(labels: int, code_type: str = "CODE128") -> Iterator[bytes]:
    """Yield requests of as many labels each, made beforehand; each begins at another product."""
    codes = [product_code(number) for number in range(PRODUCTS)]
    starts = range(0, PRODUCTS, PRODUCTS // _SHEETS)
    return cycle([sheet((codes[start:] + codes[:start])[:labels], code_type) for start in starts])


def scan(number: int) -> bytes:
    """Return the request that resolves the scanned code of a product."""
    return post(DECODE, json.dumps({"code_data": product_code(number)}).encode())
