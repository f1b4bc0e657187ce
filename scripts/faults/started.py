"""How each part of the torture starts the service: on a free port, without rate limits, its warnings in a file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_RUNNING = re.compile(r"=+ Running on http://127\.0\.0\.1:([0-9]+) =+\n")


def environment(database: Path | str, **settings: object) -> dict[str, str]:
    """Return the variables that make the service use this file, or the server at this address, and these settings."""
    given = {"port": 0, "database": database, "rate_limit": "off", "upload_rate_limit": "off", "log_level": "WARNING"}
    return {f"BARCODESVC_{name.upper()}": str(value) for name, value in (given | settings).items()}


@contextmanager
def started(module: str, variables: Mapping[str, str], errors: Path) -> Iterator[subprocess.Popen[str]]:
    """Start the module with these variables added to this process's; it is killed at the end if it still runs."""
    with errors.open("a") as written:
        process = subprocess.Popen(  # noqa: S603 - this interpreter, a module of ours
            [sys.executable, "-m", module],
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=written,
            text=True,
        )
    with process:
        try:
            yield process
        finally:
            process.kill()


def port_of(process: subprocess.Popen[str], errors: Path) -> int:
    """Return the port in its first line; raises SystemExit with its errors if there is none."""
    line = process.stdout.readline() if process.stdout else ""
    running = _RUNNING.fullmatch(line)
    if running is None:
        raise SystemExit(f"the service did not start: {errors.read_text()}")
    return int(running[1])
