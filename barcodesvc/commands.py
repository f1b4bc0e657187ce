"""The command line: `serve`, `check`, `printers`, `backup` and `restore` for what the settings name, and `copy`.

Rule: an option such as `--port` sets the variable of the same name, for every command alike.
"""

import argparse
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from barcodesvc.addresses import ServerAddress, database_place
from barcodesvc.clock import Clock
from barcodesvc.config import PREFIX, VERSION
from barcodesvc.errors import BackupError, StartError
from barcodesvc.store.copying import copy
from barcodesvc.store.engines import open_source, open_target
from barcodesvc.store.sqlite.files import followed

_INSTEAD = {
    "backup": "PostgreSQL backs up its databases itself, even while they are served:\n"
    "pg_dump --format=custom --file={file} --dbname={address}",
    "restore": "PostgreSQL restores its databases itself; stop serving first:\n"
    "pg_restore --clean --if-exists --no-owner --single-transaction "
    "--dbname={address} {file} && psql --quiet --output=/dev/null --dbname={address} "
    "--command=\"UPDATE print_jobs SET state = 'in_doubt', labels_unsure = labels - labels_sure, "
    "message = 'it was restored from a backup, and may be printed already' "
    "WHERE state IN ('waiting', 'sending'); "
    "SELECT setval('print_jobs_id_seq', "
    "GREATEST(nextval('print_jobs_id_seq'), CAST(EXTRACT(EPOCH FROM now()) AS BIGINT)))\"",
}
"""The shell command that replaces a command on a PostgreSQL server.

A restored database prints no job by itself, and gives no id to a job that one since the backup had.
"""
_OPTIONS = ("host", "port", "database")
EPILOG = """\
Without a command it serves http://127.0.0.1:8080: the web app at /, and the
documentation of the API at /api/docs.

Settings are environment variables. The ones used most:
  BARCODESVC_HOST=0.0.0.0     let other devices connect, not only this machine
  BARCODESVC_PORT=8080        the port
  BARCODESVC_DATABASE=FILE    the SQLite file, or postgresql://user@host/name
  BARCODESVC_API_KEY=SECRET   the key that all of /api requires
docs/settings.md describes all of them.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """What `check` or `printers` found: `message` describes the subject, or says what is wrong and what to do."""

    subject: str
    message: str
    is_right: bool = True

    def __str__(self) -> str:
        """Return the finding as one line."""
        return f"{'ok   ' if self.is_right else 'WRONG'}  {self.subject}: {self.message}"


def status_of(findings: Sequence[Finding]) -> int:
    """Print the findings, and return the exit status: 0 if all are right, otherwise 2."""
    print(*findings, sep="\n")  # noqa: T201 - the result of a command
    return 0 if all(finding.is_right for finding in findings) else 2


def parsed(arguments: Sequence[str], source_url: str = "") -> argparse.Namespace:
    """Return the `command`, by default `serve`, with its arguments; an invalid one exits with status 2.

    `--version` prints `source_url` too: users of a changed copy get its source code there.
    """
    options = _options()
    parser = argparse.ArgumentParser(
        prog="barcodesvc",
        description="Serve a product catalogue with stock, barcodes and labels, or look after its database.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[options],
    )
    release = f"%(prog)s {VERSION}, AGPL-3.0-or-later"
    parser.add_argument("--version", action="version", version=f"{release} {source_url}".strip())
    _add_commands(parser, options)
    parser.set_defaults(command="serve")
    return parser.parse_args(arguments)


def _add_commands(parser: argparse.ArgumentParser, options: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    commands.add_parser("serve", help="serve until SIGINT or SIGTERM (default)", parents=[options])
    commands.add_parser("check", help="check settings, database, folders, font and servers", parents=[options])
    printing = commands.add_parser("printers", help="ask each printer in the settings what it is", parents=[options])
    printing.add_argument("what", nargs="?", choices=["find"], help="instead, look for printers on the network")
    backing = commands.add_parser(
        "backup", help="copy the database into FILE, even while it is served", parents=[options]
    )
    backing.add_argument("file", type=Path, metavar="FILE", help="the new file")
    backing.add_argument("--force", action="store_true", help="overwrite FILE")
    restoring = commands.add_parser(
        "restore", help="replace the database with the backup FILE; stop serving first", parents=[options]
    )
    restoring.add_argument("file", type=Path, metavar="FILE", help="a file that `backup` has written")
    copying = commands.add_parser("copy", help="copy the database FROM into the empty database TO, of either engine")
    for name in ("FROM", "TO"):
        place = "a file, or an address such as postgresql://user@host/name"
        copying.add_argument(name.lower(), type=_database_place, metavar=name, help=place)


def variables(command: argparse.Namespace, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with the variables that the options of a command set."""
    given = {PREFIX + name.upper(): getattr(command, name) for name in _OPTIONS if hasattr(command, name)}
    kept = {name: value for name, value in environ.items() if name.upper() not in given}
    return {**kept, **given}


def run(command: argparse.Namespace, database: Path | ServerAddress) -> str:
    """Run `backup` or `restore` and return its message; raises BackupError."""
    from barcodesvc.store.sqlite.backup import back_up, restore  # noqa: PLC0415 - a service that serves needs neither

    if isinstance(database, ServerAddress):
        is_in_variable = not hasattr(command, "database")
        address = f'"${PREFIX}DATABASE"' if is_in_variable else shlex.quote(str(database))
        raise BackupError(_INSTEAD[command.command].format(file=shlex.quote(str(command.file)), address=address))
    now = Clock().timestamp()
    if command.command == "backup":
        summary = back_up(database, command.file, overwrite=command.force, now=now)
        return f"{database} is copied to {command.file}: {summary}"
    stamp = now.replace(":", "").replace("-", "").replace(".", "")
    replaced = followed(database)
    aside = replaced.with_name(f"{replaced.name}.before-{stamp}")
    summary = restore(command.file, database, aside=aside, now=now)
    former = f"; the previous database is {aside}" if aside.exists() else ""
    return f"{database} is replaced with {command.file}: {summary}{former}"


async def run_copy(command: argparse.Namespace) -> str:
    """Run `copy`, which needs no settings, and return its message; raises BackupError."""
    source, target = getattr(command, "from"), command.to
    try:
        async with open_source(source) as reading, open_target(target) as writing:
            summary = await copy(reading, writing)
    except (BackupError, StartError) as error:
        raise BackupError(f"{source} cannot be copied to {target}: {error}") from error
    return f"{source} is copied to {target}: {summary}"


def _options() -> argparse.ArgumentParser:
    """Return the options of all commands; one that is not given sets no attribute."""
    options = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    options.add_argument("--host", help="listen on this address, instead of BARCODESVC_HOST or 127.0.0.1")
    options.add_argument("--port", help="listen on this port, instead of BARCODESVC_PORT or 8080")
    options.add_argument("--database", help="use this database, instead of BARCODESVC_DATABASE or barcodesvc.db")
    return options


def _database_place(value: str) -> Path | ServerAddress:
    try:
        return database_place(value)
    except ValueError as error:  # argparse would repeat the value, which may hold a password
        raise argparse.ArgumentTypeError(str(error)) from None
