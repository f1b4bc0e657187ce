"""Faults of disk, file and other processes under the running service: reported, survived, and over with their cause.

Each part causes a fault, requests what must fail and what must go on, removes the cause, and measures how long the
service needs to recover: without a client that changes anything, and without a restart unless the file itself was
damaged or moved.
"""

from __future__ import annotations

import http.client
import os
import resource
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path

from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.faults.extent import Extent
from scripts.faults.stored_data import levels, wrongs
from scripts.faults.stored_service import Response, StoredService, data_folder, seconds_until
from tests.served import StartError

_REPORTED = 1.0
"""Seconds within which /health reports a fault, and its end."""
_ENDED = 2.0
"""Seconds within which a request that meets a fault is answered."""
_OK, _CREATED, _FAILED, _UNWELL = 200, 201, 500, 503
_NAMES = count(1)
_LOG_LINES = 20
_PAGE = 4096


def _create(service: StoredService) -> tuple[str, Response]:
    code = f"code-{next(_NAMES)}"
    body = {"product_code": code, "description": "x" * 400, "initial_level": 1}
    return code, service.ask("POST", "/api/products", body)


def _stock(service: StoredService, products: int = 20) -> set[str]:
    created = [_create(service) for _ in range(products)]
    return {code for code, response in created if response.status == _CREATED}


def _create_until_it_fails(service: StoredService, known: set[str], attempts: int = 2000) -> Response:
    for _ in range(attempts):
        code, response = _create(service)
        if response.status != _CREATED:
            return response
        known.add(code)
    return response


def _reading(service: StoredService, code: str) -> Response:
    """Return the worst of a list and a scan."""
    listed = service.ask("GET", "/api/products?limit=1")
    scanned = service.ask("POST", "/api/codes/decode", {"code_data": code})
    return max(listed, scanned, key=lambda response: (response.status, response.seconds))


def _refusal(failed: Response) -> Figure:
    is_right = failed.status == _FAILED and failed.code == "DATABASE_ERROR"
    return Figure("the failure is a DATABASE_ERROR", is_right, "", at_least(1), f"{failed.status} {failed.code}")


def _over(service: StoredService, known: set[str], causes: tuple[str, ...]) -> Iterator[Figure]:
    """Yield how the service recovers now that the cause is gone, and what it has lost and logged."""
    yield Figure("well again, without a change by a client", seconds_until(service.is_well), "s", at_most(_REPORTED))
    code, created = _create(service)
    yield Figure("a change succeeds again", created.status == _CREATED, "", at_least(1))
    lost = {*known, code} - levels(service.database).keys()
    yield Figure("answered changes lost", len(lost), "", at_most(0))
    wrong = wrongs(service.database)
    yield Figure("wrong in the database", len(wrong), "", at_most(0), "; ".join(wrong))
    yield from _logged(service, causes)


def _logged(service: StoredService, causes: tuple[str, ...]) -> Iterator[Figure]:
    lines = service.errors().splitlines()
    named = any(cause in line for line in lines for cause in causes)
    yield Figure("the log names the cause", named, "", at_least(1), next(iter(lines), ""))
    yield Figure("lines in the log", len(lines), "", at_most(_LOG_LINES))


def full(_: Extent) -> Iterator[Figure]:
    """Fill the disk during changes, on a small file system in memory."""
    with data_folder() as folder:
        if not _mounted(folder, "size=6m"):
            yield Figure("not possible here: a file system is mounted by root alone", 0, "")
            return
        try:
            with StoredService(folder) as service:
                yield from _filled(service)
        finally:
            _run("umount", str(folder))


def _filled(service: StoredService) -> Iterator[Figure]:
    known = _stock(service)
    filler = service.database.parent / "filler"
    _fill(filler)
    failed = _create_until_it_fails(service, known)
    yield _refusal(failed)
    yield Figure("answered changes before", len(known), "")
    yield Figure("reported by /health", seconds_until(lambda: not service.is_well()), "s", at_most(_REPORTED))
    read = _reading(service, next(iter(known)))
    yield Figure("reads and scans go on", read.status == _OK, "", at_least(1))
    for _ in range(200):
        _create(service)
    yield Figure("not well as long as it lasts", not service.is_well(), "", at_least(1))
    filler.unlink()
    yield from _over(service, known, ("SQLITE_FULL",))


def _fill(path: Path) -> None:
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(_PAGE))


def readonly(_: Extent) -> Iterator[Figure]:
    """Deny the service writes to its files, and start it with everything read-only."""
    with data_folder() as folder, StoredService(folder) as service:
        known = _stock(service, 60)
        _limit(service, resource.RLIMIT_FSIZE, (service.database.parent / "shop.db-wal").stat().st_size // 2)
        _checkpoint(service.database)
        failed = _create_until_it_fails(service, known)
        yield _refusal(failed)
        yield Figure("reported by /health", seconds_until(lambda: not service.is_well()), "s", at_most(_REPORTED))
        read = _reading(service, next(iter(known)))
        yield Figure("reads and scans go on", read.status == _OK, "", at_least(1))
        _limit(service, resource.RLIMIT_FSIZE, None)
        yield from _over(service, known, ("SQLITE_IOERR", "SQLITE_READONLY"))
    with data_folder() as folder:
        if _mounted(folder, "size=6m"):
            try:
                yield from _started_read_only(folder)
            finally:
                _run("umount", "-l", str(folder))


def _started_read_only(folder: Path) -> Iterator[Figure]:
    with StoredService(folder) as service:
        known = _stock(service)
    _run("mount", "-o", "remount,ro", str(folder))
    with StoredService(folder) as service:
        read = _reading(service, next(iter(known)))
        yield Figure("started where nothing can be written, it reads", read.status == _OK, "", at_least(1))
        _, failed = _create(service)
        yield _refusal(failed)
        yield Figure("reported by /health", seconds_until(lambda: not service.is_well()), "s", at_most(_REPORTED))
        yield from _logged(service, ("SQLITE_READONLY", "SQLITE_CANTOPEN"))
        _run("mount", "-o", "remount,rw", str(folder))
    with StoredService(folder) as service:
        code, created = _create(service)
        yield Figure("a change succeeds after a restart", created.status == _CREATED, "", at_least(1))
        lost = {*known, code} - levels(service.database).keys()
        yield Figure("answered changes lost", len(lost), "", at_most(0))


def _start_refused(folder: Path) -> Figure:
    try:
        StoredService(folder).kill()
    except StartError as error:
        status, _, errors = error.end
    else:
        status, errors = 0, "it started"
    is_said = status == 2 and "cannot be used" in errors and "Traceback" not in errors  # noqa: PLR2004
    return Figure("a start is refused in words", is_said, "", at_least(1), errors.strip().replace("\n", " ")[-300:])


def locked(extent: Extent) -> Iterator[Figure]:
    """Lock the database from another process, for less and for longer than changes wait."""
    busy, short, long = (15.0, 3.0, 32.0) if extent is Extent.FULL else (2.0, 1.0, 5.0)
    with data_folder() as folder, StoredService(folder, busy_timeout=busy) as service:
        known = _stock(service)
        with _lock(service.database):
            releasing = threading.Timer(short, lambda: None)
            changing = _Changing(service, 1)
            releasing.start()
            releasing.join()
        [(code, response)] = changing.ended()
        waited = response.status == _CREATED and response.seconds >= short / 2
        yield Figure(
            f"a change waits {short:.0f} s for a lock, and is made", waited, "", at_least(1), str(response.seconds)
        )
        known.add(code)
        with _lock(service.database):
            begin = time.perf_counter()
            changing = _Changing(service, 20)
            unwell_after = seconds_until(lambda: not service.is_well())
            yield Figure("reported by /health, once a change has failed", unwell_after, "s", at_most(busy + _REPORTED))
            slowest = _slowest_read(service, next(iter(known)), until=begin + long)
            yield Figure("slowest read or scan meanwhile", slowest, "s", at_most(1.0))
        responses = [response for _, response in changing.ended()]
        seen = Counter((response.status, response.code) for response in responses)
        failed = seen[_FAILED, "DATABASE_ERROR"]
        yield Figure("of 20 changes refused because it is locked", failed, "", at_least(20), str(dict(seen)))
        slowest = max(response.seconds for response in responses)
        yield Figure("the slowest of them", slowest, "s", at_most(2 * busy + 1.0))
        yield from _over(service, known, ("SQLITE_BUSY",))


class _Changing:
    """Changes that are sent at once, each in a thread."""

    def __init__(self, service: StoredService, changes: int) -> None:
        self._responses: list[tuple[str, Response]] = []
        self._threads = [threading.Thread(target=self._change, args=(service,)) for _ in range(changes)]
        for thread in self._threads:
            thread.start()

    def _change(self, service: StoredService) -> None:
        self._responses.append(_create(service))

    def ended(self) -> list[tuple[str, Response]]:
        """Wait for all responses, and return them."""
        for thread in self._threads:
            thread.join()
        return self._responses


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


def _slowest_read(service: StoredService, code: str, until: float) -> float:
    slowest = 0.0
    while time.perf_counter() < until:
        slowest = max(slowest, _reading(service, code).seconds)
        time.sleep(0.05)
    return slowest


def corrupted(_: Extent) -> Iterator[Figure]:
    """Overwrite pages of the file under the running service, and before a start."""
    with data_folder() as folder, StoredService(folder) as service:
        known = _stock(service, 200)
        _checkpoint(service.database)
        sound = service.database.read_bytes()
        with service.database.open("r+b") as file:
            file.seek(_PAGE)
            file.write(b"\xa5" * (len(sound) - _PAGE))
        responses = [service.ask("GET", f"/api/products/{number}") for number in range(1, 101)]
        responses += [service.ask("GET", path) for path in ("/api/products?search=code-1", "/api/inventory/export")]
        seen = Counter((response.status, response.code) for response in responses)
        clear = {(_OK, ""), (_FAILED, "DATABASE_ERROR")}
        yield Figure(
            "responses that are neither right nor clear", len(seen.keys() - clear), "", at_most(0), str(dict(seen))
        )
        yield Figure("failures", seen[_FAILED, "DATABASE_ERROR"], "", at_least(1))
        yield Figure("slowest of them", max(response.seconds for response in responses), "s", at_most(_ENDED))
        yield Figure("reported by /health", seconds_until(lambda: not service.is_well()), "s", at_most(_REPORTED))
        yield from _logged(service, ("SQLITE_CORRUPT",))
        service.database.write_bytes(sound)
        yield Figure("not well before a restart", not service.is_well(), "", at_least(1))
        service.kill()
        yield from _restarted(folder, known)
    with data_folder() as folder:
        (folder / "shop.db").write_bytes(b"\xa5" * 100 * _PAGE)
        yield _start_refused(folder)


def moved(_: Extent) -> Iterator[Figure]:
    """Move the database away under the running service, and put it back."""
    with data_folder() as folder:
        with StoredService(folder) as service:
            known = _stock(service)
            aside = service.database.rename(folder / "aside.db")
            yield _refusal(_create(service)[1])
            yield Figure("reported by /health", seconds_until(lambda: not service.is_well()), "s", at_most(_REPORTED))
            yield Figure("files made in its place", service.database.exists(), "", at_most(0))
            aside.rename(service.database)
            yield Figure("not well before a restart", not service.is_well(), "", at_least(1))
            yield from _logged(service, ("database failure in a change",))
            service.kill()
        yield from _restarted(folder, known)


def _restarted(folder: Path, known: set[str]) -> Iterator[Figure]:
    """Yield what a supervisor's restart finds."""
    with StoredService(folder) as service:
        yield Figure("well after a restart", service.is_well(), "", at_least(1))
        lost = known - levels(service.database).keys()
        yield Figure("answered changes lost", len(lost), "", at_most(0))
        wrong = wrongs(service.database)
        yield Figure("wrong in the database", len(wrong), "", at_most(0), "; ".join(wrong))


def descriptors(_: Extent) -> Iterator[Figure]:
    """Take the file descriptors away from the running service."""
    with data_folder() as folder, StoredService(folder) as service:
        known = _stock(service)
        with closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=30.0)) as held:
            # everything that is loaded late must be loaded: files that fail to open meanwhile would add many more lines
            for path in ("/api/products/export", "/api/openapi.json", "/health"):
                status, _code = _asked(held, path)
            yield Figure("well before", status == _OK, "", at_least(1))
            open_now = len(os.listdir(f"/proc/{service.process.pid}/fd"))  # noqa: PTH208 - Linux alone, as all of this
            _limit(service, resource.RLIMIT_NOFILE, open_now + 1)
            flood = [_connected(service.port) for _ in range(50)]
            status, code = _asked(held, "/api/products/export")
            is_said = status in {_FAILED, _UNWELL} and code in {"DATABASE_ERROR", "EXPORT_ERROR"}
            yield Figure("an export fails in words", is_said, "", at_least(1), f"{status} {code}")
            status, _code = _asked(held, "/api/products?limit=1")
            yield Figure("a list goes on", status == _OK, "", at_least(1))
            status, _code = _asked(held, "/health")
            yield Figure("/health reports it", status == _UNWELL, "", at_least(1))
            time.sleep(_ENDED)
            for connection in flood:
                connection.close()
            _limit(service, resource.RLIMIT_NOFILE, None)
        yield from _over(service, known, ("Too many open files", "SQLITE_CANTOPEN", "unable to open"))


def _asked(connection: http.client.HTTPConnection, path: str) -> tuple[int, str]:
    connection.request("GET", path)
    response = connection.getresponse()
    content = response.read()
    return response.status, content.split(b'"code":"')[-1].split(b'"')[0].decode() if b'"code":"' in content else ""


def _connected(port: int) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5.0)
    connection.connect()
    return connection


def _limit(service: StoredService, kind: int, soft: int | None) -> None:
    """Set the soft limit of a resource, or restore it to the hard one."""
    hard = resource.prlimit(service.process.pid, kind)[1]
    resource.prlimit(service.process.pid, kind, (hard if soft is None else soft, hard))


def _checkpoint(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _mounted(folder: Path, options: str) -> bool:
    return _run("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder))


def _run(*command: str) -> bool:
    try:
        return not subprocess.run(command, capture_output=True, check=False).returncode  # noqa: S603 - commands of this file
    except OSError:
        return False


PARTS: dict[str, Callable[[Extent], Iterator[Figure]]] = {
    "full": full,
    "readonly": readonly,
    "locked": locked,
    "corrupted": corrupted,
    "moved": moved,
    "descriptors": descriptors,
}
