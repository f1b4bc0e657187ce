"""The command line: `serve`, `backup FILE` and `restore FILE` for what the settings name, and `copy FROM TO`."""

from __future__ import annotations

import argparse
import asyncio
import shlex
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from barcodesvc.addresses import ServerAddress, database_place
from barcodesvc.clock import Clock
from barcodesvc.errors import BackupError, StartError
from barcodesvc.store.copying import copy
from barcodesvc.store.engines import open_source, open_target
from barcodesvc.store.sqlite.backup import back_up, restore
from barcodesvc.store.sqlite.files import followed

_INSTEAD = {
    "backup": "PostgreSQL backs up its databases itself, also while they are served:\n"
    'pg_dump --format=custom --file={file} --dbname="$BARCODESVC_DATABASE"',
    "restore": "PostgreSQL restores its databases itself; stop serving first:\n"
    "pg_restore --clean --if-exists --no-owner --single-transaction "
    '--dbname="$BARCODESVC_DATABASE" {file}',
}
"""The shell command that replaces a command on a PostgreSQL server."""


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the `command`, by default `serve`, with its arguments; an invalid one exits with status 2."""
    parser = argparse.ArgumentParser(
        prog="barcodesvc", description="Serve, or copy the database that BARCODESVC_DATABASE names."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('barcodesvc')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands; without one it serves")
    parser.set_defaults(command="serve")
    commands.add_parser("serve", help="serve until SIGINT or SIGTERM")
    backing = commands.add_parser("backup", help="copy the database into FILE, also while it is served")
    backing.add_argument("file", type=Path, metavar="FILE")
    backing.add_argument("--force", action="store_true", help="overwrite FILE")
    restoring = commands.add_parser("restore", help="replace the database with the backup FILE; stop serving first")
    restoring.add_argument("file", type=Path, metavar="FILE")
    restoring.add_argument("--force", action="store_true", help=argparse.SUPPRESS)  # as earlier releases needed it
    copying = commands.add_parser("copy", help="copy the database FROM into the empty database TO, of either engine")
    for name in ("FROM", "TO"):
        place = "a file, or an address such as postgresql://user@host/name"
        copying.add_argument(name.lower(), type=_database_place, metavar=name, help=place)
    return parser.parse_args(arguments)


def run(command: argparse.Namespace, database: Path | ServerAddress) -> str:
    """Run the command and return its message; raises BackupError."""
    if command.command == "copy":
        return asyncio.run(_copy(getattr(command, "from"), command.to))
    if isinstance(database, ServerAddress):
        raise BackupError(_INSTEAD[command.command].format(file=shlex.quote(str(command.file))))
    if command.command == "backup":
        summary = back_up(database, command.file, overwrite=command.force)
        return f"{database} is copied to {command.file}: {summary}"
    stamp = Clock().timestamp().replace(":", "").replace("-", "").replace(".", "")
    replaced = followed(database)
    aside = replaced.with_name(f"{replaced.name}.before-{stamp}")
    summary = restore(command.file, database, aside=aside)
    former = f"; the former database is {aside}" if aside.exists() else ""
    return f"{database} is replaced with {command.file}: {summary}{former}"


async def _copy(source: Path | ServerAddress, target: Path | ServerAddress) -> str:
    try:
        async with open_source(source) as reading, open_target(target) as writing:
            summary = await copy(reading, writing)
    except (BackupError, StartError) as error:
        raise BackupError(f"{source} cannot be copied to {target}: {error}") from error
    return f"{source} is copied to {target}: {summary}"


def _database_place(value: str) -> Path | ServerAddress:
    try:
        return database_place(value)
    except ValueError as error:  # argparse would repeat the value, which may hold a password
        raise argparse.ArgumentTypeError(str(error)) from None
