"""The command line: `serve`, `backup FILE` and `restore FILE` for what the settings name, and `copy FROM TO`."""

from __future__ import annotations

import argparse
import asyncio
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from barcodesvc.addresses import ServerAddress, database_place, file_place, is_meant_as_address
from barcodesvc.clock import Clock
from barcodesvc.errors import BackupError, StartError
from barcodesvc.store.copying import copy
from barcodesvc.store.engines import open_source, open_target
from barcodesvc.store.sqlite.backup import Contents, back_up, restore
from barcodesvc.store.sqlite.beside import followed

T = TypeVar("T")

_INSTEAD = {
    "backup": "PostgreSQL copies its databases itself, also while they are served:\n"
    "pg_dump --format=custom --file={file} --dbname={address}",
    "restore": "PostgreSQL restores its databases itself; stop serving first:\n"
    "pg_restore --clean --if-exists --no-owner --single-transaction --dbname={address} {file}",
}
"""What does with a database server what a command does with a file, in a line for a shell."""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors repeat none of the given arguments that may be an address with a password."""

    def __init__(self, *, given: Sequence[str], **options: Any) -> None:
        super().__init__(**options)
        values = (value for argument in given for value in (argument, argument.partition("=")[2]))
        self._secret = [value for value in values if is_meant_as_address(value)]

    def error(self, message: str) -> NoReturn:
        """End with the message, and how the command is used."""
        is_secret = any(value in message or repr(value) in message for value in self._secret)
        super().error("the address of a server stands where none belongs" if is_secret else message)


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the `command`, `serve` without a word, with what it names; a wrong one ends with status 2."""
    make = partial(_Parser, given=arguments)
    parser = make(prog="barcodesvc", description="Serve, or copy the database that BARCODESVC_DATABASE names.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('barcodesvc')}")
    commands = parser.add_subparsers(  # type: ignore[call-overload]  # it calls the class that it wants, and no more
        dest="command", metavar="COMMAND", title="commands; without one it serves", parser_class=make
    )
    parser.set_defaults(command="serve")
    commands.add_parser("serve", help="serve until SIGINT or SIGTERM")
    backing = commands.add_parser("backup", help="copy the database into FILE, also while it is served")
    backing.add_argument("file", type=_quiet(file_place), metavar="FILE")
    backing.add_argument("--force", action="store_true", help="overwrite FILE")
    restoring = commands.add_parser(
        "restore", help="put the backup FILE in the place of the database; stop serving first"
    )
    restoring.add_argument("file", type=_quiet(file_place), metavar="FILE")
    restoring.add_argument("--force", action="store_true", help="replace a database that is newer, or unreadable")
    copying = commands.add_parser("copy", help="copy the database FROM into the empty database TO, of either engine")
    for name in ("FROM", "TO"):
        place = "a file, or an address such as postgresql://user@host/name"
        copying.add_argument(name.lower(), type=_quiet(database_place), metavar=name, help=place)
    return parser.parse_args(arguments)


def run(command: argparse.Namespace, database: Path | ServerAddress) -> str:
    """Carry the command out, and return what to say of it; raises BackupError."""
    if command.command == "copy":
        return asyncio.run(_copy(getattr(command, "from"), command.to))
    if isinstance(database, ServerAddress):
        line = _INSTEAD[command.command]
        raise BackupError(line.format(address=shlex.quote(str(database)), file=shlex.quote(str(command.file))))
    if command.command == "backup":
        contents = back_up(database, command.file, overwrite=command.force)
        return f"{database} is copied to {command.file}: {_summary(contents)}"
    stamp = Clock().timestamp().replace(":", "").replace("-", "").replace(".", "")
    # beside the file itself, not beside a link to it: there it needs no copy
    replaced = followed(database)
    aside = replaced.with_name(f"{replaced.name}.before-{stamp}")
    contents = restore(command.file, database, overwrite=command.force, aside=aside)
    former = f"; the former database is {aside}" if aside.exists() else ""
    return f"{command.file} is in the place of {database}: {_summary(contents)}{former}"


async def _copy(source: Path | ServerAddress, target: Path | ServerAddress) -> str:
    try:
        _require_two_files(source, target)
        async with open_source(source) as reading, open_target(target) as writing:
            summary = await copy(reading, writing)
    except (BackupError, StartError) as error:
        raise BackupError(f"{source} cannot be copied to {target}: {error}") from error
    return f"{source} is copied to {target}: {summary}"


def _require_two_files(source: Path | ServerAddress, target: Path | ServerAddress) -> None:
    """Raise BackupError for one and the same file, which its reader may lock."""
    is_same = False
    with suppress(OSError):  # of what is not there
        is_same = isinstance(source, Path) and isinstance(target, Path) and source.samefile(target)
    if is_same:
        raise BackupError("the target is not empty: it is the source; name a new database")


def _quiet(read: Callable[[str], T]) -> Callable[[str], T]:
    """Return what reads an argument as `read` does, and whose error is its own: argparse would repeat the argument."""

    def reading(value: str) -> T:
        try:
            return read(value)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return reading


def _summary(contents: Contents) -> str:
    return f"{contents.products} products, last changed at {contents.last_change or 'no time'}, checked"
