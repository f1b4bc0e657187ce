"""The real service, `python -m barcodesvc`, on a temporary folder, for the faults that come from its clients."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from scripts.benchmarks.servers import Server

_RUNNING = re.compile(r"======== Running on http://[^:]+:(\d+) ========\n")
_LONGEST_STOP = 90.0


@contextmanager
def served(**settings: object) -> Iterator[Server]:
    """Start the service with these settings, without rate limits; end it when the block is left."""
    with tempfile.TemporaryDirectory() as folder:
        changed = {"port": 0, "database": Path(folder) / "shop.db", "rate_limit": "off", "upload_rate_limit": "off"}
        variables = {f"BARCODESVC_{name.upper()}": str(value) for name, value in {**changed, **settings}.items()}
        command = [sys.executable, "-m", "barcodesvc"]
        with subprocess.Popen(command, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - this interpreter, fixed text
            try:
                started = _RUNNING.fullmatch(process.stdout.readline() if process.stdout else "")
                if not started:
                    raise SystemExit("the service did not start")
                yield Server(psutil.Process(process.pid), (int(started[1]),))
            finally:
                process.terminate()
                process.wait(_LONGEST_STOP)
