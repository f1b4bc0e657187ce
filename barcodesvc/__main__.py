"""Command-line entry point: reads settings from the environment, then runs a subcommand or serves until a signal.

SIGINT or SIGTERM stops gracefully: requests in flight finish, the database closes, and the process ends with status 0.
A second signal ends it at once, and so does a stop that takes too long, for example because a thread hangs. If the
service cannot start or a command fails, the reason is written to standard error and the status is 2.
"""

import argparse
import asyncio
import faulthandler
import gc
import logging
import os
import signal
import ssl
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from aiohttp import web

from barcodesvc import commands
from barcodesvc.api.observe.request_ids import RequestIdFilter
from barcodesvc.api.server import ServiceRunner, require_address, tls_context
from barcodesvc.app import make_app
from barcodesvc.config import PREFIX, Settings, load_settings
from barcodesvc.errors import BackupError, StartError
from barcodesvc.runtime.log_lines import log_to_standard_error
from barcodesvc.runtime.temporary_folder import temporary_folder
from barcodesvc.store.engines import only_service

_LOG = logging.getLogger(__name__)

SWITCH_INTERVAL = 0.0002
"""Seconds after which a busy thread yields to the event loop; with Python's own value, requests wait far longer."""
GARBAGE_THRESHOLDS = (1_000, 2, 200)
_STANDARD_ERROR = 2
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def console() -> int:
    """Run the installed command `barcodesvc` and return its exit status."""
    return main(sys.argv[1:])


def main(arguments: Sequence[str] = ()) -> int:
    """Serve, or run the command in the arguments, and return the exit status."""
    command = commands.parsed(arguments, os.environ.get(f"{PREFIX}SOURCE_URL", ""))
    try:
        return _run(command)
    except StartError as error:
        print(f"barcodesvc cannot start:\n{error}", file=sys.stderr)  # noqa: T201 - the message of a command
    except BackupError as error:
        print(error, file=sys.stderr)  # noqa: T201 - as above
    return 2


def _run(command: argparse.Namespace) -> int:
    """Do what `main` does; raises StartError and BackupError."""
    if command.command == "copy":
        print(asyncio.run(commands.run_copy(command)))  # noqa: T201 - the result of a command
        return 0
    if command.command == "printers" and command.what == "find":
        from barcodesvc.printer_commands import found_printers  # noqa: PLC0415 - no other command needs it

        print(asyncio.run(found_printers()))  # noqa: T201 - as above
        return 0
    settings = load_settings(commands.variables(command, os.environ))
    if command.command == "check":
        from barcodesvc.configuration_check import findings  # noqa: PLC0415 - a service that serves needs none of it

        return commands.status_of(asyncio.run(findings(settings)))
    if command.command == "printers":
        from barcodesvc.printer_commands import printer_findings  # noqa: PLC0415 - as above

        return commands.status_of(asyncio.run(printer_findings(settings)))
    if command.command != "serve":
        print(commands.run(command, settings.database))  # noqa: T201 - as above
        return 0
    log_to_standard_error(settings.log_level, RequestIdFilter())
    with temporary_folder(settings.temporary_folder), only_service(settings.database):
        serve(settings)
    return 0


def serve(settings: Settings) -> None:
    """Run the service until a signal ends it; raises StartError if it cannot start."""
    app, tls = make_app(settings), tls_context(settings)
    shorten_waits()
    with _hard_end(2 * settings.stop_timeout) as begin_end, asyncio.Runner(loop_factory=_new_event_loop) as runner:
        runner.run(_serve(app, settings, tls, begin_end))


async def _serve(
    app: web.Application, settings: Settings, tls: ssl.SSLContext | None, begin_end: Callable[[], None]
) -> None:
    runner, stop = ServiceRunner(app), _first_signal()
    starting = asyncio.create_task(_started(runner, settings, tls))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            print(f"======== Running on {starting.result()} ========\n(Press CTRL+C to quit)", flush=True)  # noqa: T201 - for people
            await stopping
    finally:
        begin_end()
        starting.cancel()
        await asyncio.wait([starting])
        _ = starting.cancelled() or starting.exception()  # asyncio logs exceptions that are never retrieved
        await runner.cleanup()


async def _started(runner: ServiceRunner, settings: Settings, tls: ssl.SSLContext | None) -> str:
    """Listen, and return the service's address; raises StartError if it cannot listen."""
    await require_address(settings.host, settings.port, reuse_port=settings.reuse_port)
    await runner.setup()
    return await runner.listen(tls)


def _first_signal() -> asyncio.Event:
    """Return an event that the first SIGINT or SIGTERM sets; the second one ends the process at once."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def take() -> None:
        stop.set()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)

    for number in _SIGNALS:
        loop.add_signal_handler(number, take)
    return stop


@contextmanager
def _hard_end(seconds: float) -> Iterator[Callable[[], None]]:
    """Yield a function that starts a timer, which dumps the stacks of all threads and ends the process with status 1.

    The timer is cancelled after the block and all threads that began in it have ended, so the block must close the
    event loop: Python would wait for ever for a thread that hangs in a library or on a disk.
    """
    before = threading.enumerate()
    timer = threading.Timer(seconds, _end_hard)
    timer.daemon = True
    try:
        yield timer.start
        for thread in threading.enumerate():
            if thread not in before and not thread.daemon:
                thread.join()
    finally:
        timer.cancel()


def _end_hard() -> None:
    """End the process. Not by `dump_traceback_later`: it dumps without the interpreter's lock, and may crash."""
    faulthandler.dump_traceback(file=_STANDARD_ERROR)
    os._exit(1)


def shorten_waits() -> None:
    """Keep the interpreter from delaying requests: short thread switch intervals, short garbage collections.

    Objects made at startup are frozen, and full collections are rare, because one blocks all requests. The others visit
    at most 3,000 recent objects. A full one happens once in 400,000 objects that remain: scans and codes leave none in
    cycles, but .xlsx exports do, and would otherwise fill the memory.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)


def _new_event_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop  # noqa: PLC0415 - not installable everywhere, and the service runs without it
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


if __name__ == "__main__":
    sys.exit(console())
