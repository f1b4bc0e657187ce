"""`python -m barcodesvc`: settings from the environment, then serve until SIGINT or SIGTERM.

A signal lets what is in flight finish, closes the database and ends the process with status 0; a start that is
impossible says why on standard error and ends it with status 2.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
import warnings
from functools import partial

from aiohttp import BadContentDispositionHeader, BadContentDispositionParam, web

from barcodesvc.app import make_app
from barcodesvc.config import Settings, load_settings
from barcodesvc.errors import StartError

SWITCH_INTERVAL = 0.0002
"""Seconds after which a rendering thread lets the event loop run; at Python's 5 ms, requests wait many times longer."""
GARBAGE_THRESHOLDS = (1_000, 2, 2_000)
ACCESS_LOG_FORMAT = '%a "%r" %s %b %Tf'


def main() -> int:
    """Serve, and return the exit status."""
    try:
        settings = load_settings(os.environ)
        logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
        _ignore_warnings_about_clients()
        serve(settings)
    except StartError as error:
        print(f"barcodesvc cannot start:\n{error}", file=sys.stderr)  # noqa: T201 - the message of a command
        return 2
    return 0


def serve(settings: Settings) -> None:
    """Run the service until a signal ends it; raises StartError if it cannot start."""
    app = make_app(settings)
    shorten_waits()
    try:
        web.run_app(
            app,
            host=settings.host,
            port=settings.port,
            access_log=logging.getLogger("barcodesvc.access") if settings.access_log else None,
            access_log_format=ACCESS_LOG_FORMAT,
            loop=_new_event_loop(),
            print=partial(print, flush=True),
        )
    except OSError as error:
        raise StartError(f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}") from error


def shorten_waits() -> None:
    """Keep the interpreter from holding a request up: short turns of threads, short garbage collections.

    What is there before the first request stays for good; measured, a full collection that walks it takes 50 ms.
    Every other one walks what was made since the last, at most 3,000 objects; a full one comes once in four million,
    because requests leave next to no cycles behind.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)


def _ignore_warnings_about_clients() -> None:
    """Ignore what aiohttp warns of in part headers: Python keeps the text of every warning shown, for ever."""
    for category in (BadContentDispositionHeader, BadContentDispositionParam):
        warnings.simplefilter("ignore", category)


def _new_event_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop  # noqa: PLC0415 - not installable everywhere, and the service runs without it
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


if __name__ == "__main__":
    sys.exit(main())
