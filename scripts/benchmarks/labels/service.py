"""The measured server: the whole service over a catalogue of products with descriptions."""

import tempfile
from pathlib import Path

import uvloop

from barcodesvc.models import ProductDraft
from scripts.benchmarks.labels.requests import PRODUCTS, description, product_code
from scripts.benchmarks.whole_service import fill_catalogue, serve_database

MODULE = "scripts.benchmarks.labels.service"


async def serve(path: Path) -> None:
    """Fill the catalogue, then serve until the process is stopped."""
    await fill_catalogue(path, map(_draft, range(PRODUCTS)))
    await serve_database(path)


def _draft(number: int) -> ProductDraft:
    return ProductDraft(product_code=product_code(number), description=description(number))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        uvloop.run(serve(Path(temporary) / "bench.db"))
