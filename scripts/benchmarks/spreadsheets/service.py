"""The measured server: the whole service, in a temporary folder, over as many products as a part needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from scripts.benchmarks import whole_service
from scripts.benchmarks.servers import Server, running_module
from scripts.benchmarks.spreadsheets.catalogue import draft

FEW = 1000
LEVELS = 100_000
"""Number of exported levels."""


@contextmanager
def stocked_server(products: int) -> Iterator[Server]:
    """Fill a database and serve it; another process fills it, so that the server is fresh."""
    with TemporaryDirectory(prefix="barcodesvc-bench-") as folder:
        path = Path(folder) / "bench.db"
        uvloop.run(whole_service.fill_catalogue(path, map(draft, range(products))))
        with running_module(whole_service.MODULE, str(path)) as server:
            yield server
