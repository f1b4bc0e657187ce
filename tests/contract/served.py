"""The service as it is started for real: a separate process on a free port, without rate limits."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_STOP_WAIT = 30.0
"""Seconds that a stop may take at the longest."""


@dataclass(frozen=True)
class Served:
    """A service that runs."""

    url: str

    def document(self) -> dict[str, Any]:
        """Return the document that it serves."""
        with urllib.request.urlopen(f"{self.url}/api/openapi.json") as response:  # noqa: S310 - it is our own
            found: dict[str, Any] = json.load(response)
        return found


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """Run the service on a database in the folder, and stop it at the end."""
    settings = {"PORT": "0", "DATABASE": str(folder / "contract.db"), "RATE_LIMIT": "off", "UPLOAD_RATE_LIMIT": "off"}
    process = subprocess.Popen(
        [sys.executable, "-m", "barcodesvc"],
        env=os.environ | {f"BARCODESVC_{name}": value for name, value in settings.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout
    with process, process.stdout:
        try:
            address = next(filter(None, map(_ADDRESS.search, process.stdout)))
            yield Served(address[0])
        finally:
            process.terminate()
            process.wait(_STOP_WAIT)
