"""A private PostgreSQL server for tests and benchmarks: from the installed programs, on a Unix socket.

Rule: it listens on no TCP port, unless its settings say so. fsync is off, so it survives no crash of the machine: its
data is worth no more than its folder.
"""

import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from urllib.parse import quote

USER = "postgres"
"""The superuser with which the server is set up; any process that reaches the socket may use it."""
READY_WAIT = 60.0
"""Seconds for a server to come up, after a crash as well."""
_ACCOUNTS = ("postgres", "nobody")
"""The user that runs the server if we are root: the programs refuse root."""
_TEMPORARY = gettempdir()
"""Where servers have their folders; a test may have changed it by the time that one starts."""
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0777",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "200",
}


def programs() -> Path | None:
    """Return the folder with the programs of the newest PostgreSQL here, or None without one."""
    found = shutil.which("postgres")
    if found:
        return Path(found).resolve().parent
    installed = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "postgres").exists()]
    return max(installed, key=lambda path: float(path.parent.name), default=None)


class PostgresServer:
    """A server in a folder with a short path, because that of its socket has at most 107 bytes."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        bin_folder = programs()
        if bin_folder is None:
            raise FileNotFoundError("PostgreSQL is not installed; on Debian and Ubuntu: apt-get install postgresql")
        self._programs = bin_folder
        self._folder = folder
        self._settings = {**_SETTINGS, **(settings or {})}
        self._user: int | None
        self._group: int | None
        self._user, self._group = _unprivileged()
        self._groups: list[int] | None = None if self._user is None else []
        self._process: subprocess.Popen[bytes] | None = None

    def address(self, database: str = "postgres", user: str = USER) -> str:
        """Return the address of one of its databases."""
        return f"postgresql://{user}@/{quote(database)}?host={quote(str(self._folder))}"

    def set_up(self, *options: str) -> None:
        """Create its data, UTF8 unless the options of initdb say something else."""
        if self._user is not None and self._group is not None:
            os.chown(self._folder, self._user, self._group)
        self._folder.chmod(0o755)  # the user that runs the service has to reach the socket in it
        defaults = ("--username", USER, "--auth=trust", "--no-sync", "--no-instructions")
        encoding = () if options else ("--encoding=UTF8", "--locale=C")
        self._run("initdb", f"--pgdata={self._data}", *defaults, *encoding, *options)

    def start(self) -> None:
        """Start it, and return once it responds; raises TimeoutError with its log if it does not."""
        given = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", str(self._data), "-k", str(self._folder), *given]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - its own program
                command,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                user=self._user,
                group=self._group,
                extra_groups=self._groups,
            )
        deadline = time.monotonic() + READY_WAIT
        while not self._is_ready():
            if time.monotonic() > deadline or self._process.poll() is not None:
                self.stop_at_once()
                raise TimeoutError(f"PostgreSQL did not start: {(self._folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop it as an administrator does: open transactions roll back, and connections end (pg_ctl stop -m fast)."""
        self._end(signal.SIGINT)

    def stop_at_once(self) -> None:
        """Stop it like a crash; its next start recovers from its log (pg_ctl stop -m immediate)."""
        self._end(signal.SIGQUIT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _is_ready(self) -> bool:
        port = self._settings.get("port", "5432")
        asked = ("pg_isready", "--quiet", f"--host={self._folder}", f"--port={port}", f"--username={USER}")
        return subprocess.run([self._programs / asked[0], *asked[1:]], check=False).returncode == 0  # noqa: S603 - its own program

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(  # noqa: S603 - its own program
            [self._programs / program, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self._folder,
            user=self._user,
            group=self._group,
            extra_groups=self._groups,
        )


@contextmanager
def running_postgres(folder: Path | None = None, settings: Mapping[str, str] | None = None) -> Iterator[PostgresServer]:
    """Run a new server inside the block, in an empty folder, or in a temporary one."""
    with TemporaryDirectory(prefix="pg-", dir=_TEMPORARY) as own:
        server = PostgresServer(folder or Path(own), settings)
        server.set_up()
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _unprivileged() -> tuple[int | None, int | None]:
    """Return the ids of user and group to run as, or None and None if this process may run it itself."""
    if os.geteuid() != 0:
        return None, None
    accounts = {account.pw_name: account for account in pwd.getpwall()}
    account = next(accounts[name] for name in _ACCOUNTS if name in accounts)
    return account.pw_uid, account.pw_gid
