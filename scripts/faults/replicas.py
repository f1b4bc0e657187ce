"""Three replicas behind a balancer, on one PostgreSQL, under mixed traffic, while one part after the other fails.

A replica is killed every few seconds and started again. PostgreSQL is restarted twice, as by a crash. Valkey, in which
the replicas count a client's requests together, is down for a while.
"""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.faults.extent import Extent
from scripts.faults.limited_client import LIMIT, RATE, WINDOW, LimitedClient
from scripts.faults.postgres_data import wrongs
from scripts.faults.replica_clients import PRODUCTS, Book, Client, Trouble, code_of
from scripts.faults.replica_set import Down, Replica, ReplicaSet, replica_set
from scripts.faults.tracebacks import shown
from tests.served import WAIT
from tests.servers.balancer import LOOPBACK

_SECONDS = {Extent.FULL: 600.0, Extent.BRIEF: 40.0}
_LEAST = {Extent.FULL: 2000, Extent.BRIEF: 100}
"""Confirmed changes without which the rest says nothing."""
_CLIENTS = 6
_KILL_PAUSE = (2.0, 5.0)
_RESTARTS = (0.15, 0.85)
"""When PostgreSQL is restarted, as shares of the time."""
_VALKEY_STOP, _VALKEY_AWAY = 0.4, 5.0
"""When Valkey is stopped, and for how many seconds."""
_REPLICAS = 3
_BACK = 5.0
"""Seconds after its return during which an outage may still have effects."""
_POSTGRES, _REPLICA, _VALKEY = "PostgreSQL", "a replica", "Valkey"
_LOOKS = 3
"""Failed looks in a row that take a replica out of service, as in docs/examples/haproxy.cfg."""
_LONE = "a replica limits nothing"
_LOG_TIME = "%Y-%m-%d %H:%M:%S,%f"


def mixed(extent: Extent) -> Iterator[Figure]:
    """Let clients change things while replicas and the database fail and return, and compare with the responses."""
    with replica_set(_REPLICAS, rate_limit=RATE, rate_limit_exempt=LOOPBACK) as replicas:
        book, stop = Book(), threading.Event()
        first = Client(replicas.port, 0, book, stop)
        for number in range(1, PRODUCTS + 1):
            body = {"product_code": code_of(number), "description": "thing", "initial_level": 1000}
            first.create(body)
        clients = [Client(replicas.port, seed, book, stop) for seed in range(1, _CLIENTS + 1)]
        limited = LimitedClient(replicas.port, stop)
        with _watched(replicas, book), _busy([limited, *clients], stop):
            _break_things(replicas, _SECONDS[extent])
        time.sleep(_BACK)
        unwell = sum(not replica.is_well() for replica in replicas.replicas)
        found = wrongs(replicas.postgres.address(), book) + book.wrong
        logged = "".join(replica.errors() for replica in replicas.replicas)
        replicas.downs += [lone for replica in replicas.replicas for lone in _lone(replica.errors())]
        yield Figure("changes answered", len(book.made), "", at_least(_LEAST[extent]), _numbers(replicas, book))
        yield Figure("lost, counted twice, or wrong in the history", found.total(), "", at_most(0), _told(found))
        yield from _errors(replicas, book)
        yield from _limits(replicas, limited)
        yield Figure("replicas that are not well at the end", unwell, "", at_most(0))
        yield Figure("tracebacks in their logs", logged.count("Traceback"), "", at_most(0), shown(logged))
        yield Figure("the slowest response", book.slowest, "s", at_most(WAIT / 2))


def _numbers(replicas: ReplicaSet, book: Book) -> str:
    downs = Counter(down.what for down in replicas.downs)
    counted = {**downs, "imports": len(book.imports), "exports": book.exports, "refused": len(book.refused)}
    return json.dumps(counted | {"left open": len(book.open), "errors": len(book.troubles)})


def _told(found: Counter[str]) -> str:
    return "; ".join(f"{number} x {what}" for what, number in found.items() if number)


def _break_things(replicas: ReplicaSet, seconds: float) -> None:
    source, begin = random.Random(1), time.monotonic()  # noqa: S311 - moments
    restarts = [begin + share * seconds for share in _RESTARTS]
    stopping = threading.Timer(_VALKEY_STOP * seconds, _stop_valkey, [replicas])
    stopping.start()
    while time.monotonic() < begin + seconds:
        time.sleep(source.uniform(*_KILL_PAUSE))
        if restarts and time.monotonic() > restarts[0]:
            restarts.pop(0)
            with replicas.away(_POSTGRES):
                replicas.postgres.stop_at_once()
                replicas.postgres.start()
            time.sleep(_BACK)
        else:
            _replace(replicas, source.choice(replicas.replicas))
    stopping.join()


def _stop_valkey(replicas: ReplicaSet) -> None:
    with replicas.away(_VALKEY):
        replicas.valkey.kill()
        time.sleep(_VALKEY_AWAY)
        replicas.valkey.start()


def _replace(replicas: ReplicaSet, replica: Replica) -> None:
    with replicas.away(_REPLICA):
        replica.kill()
        replica.start()


@contextmanager
def _busy(clients: Sequence[Client | LimitedClient], stop: threading.Event) -> Iterator[None]:
    threads = [threading.Thread(target=client.run) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@contextmanager
def _watched(replicas: ReplicaSet, book: Book) -> Iterator[None]:
    """Inside the block, ask each replica directly for its health; record when it reports a fault without a cause.

    One look may take longer than the service waits, on a machine that does all this. So a fault is what a balancer
    takes for one: several looks in a row.
    """
    stop = threading.Event()
    failed: Counter[int] = Counter()

    def watch() -> None:
        while not stop.wait(0.25):
            for number, replica in enumerate(replicas.replicas):
                begun = time.monotonic()
                if replica.is_well() or not replica.runs():
                    failed[number] = 0
                elif not _touched(replicas.downs, begun, time.monotonic(), _BACK, _REPLICA, _POSTGRES):
                    failed[number] += 1
                    if failed[number] == _LOOKS:
                        book.wrong["/health fails while nothing is down"] += 1

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _errors(replicas: ReplicaSet, book: Book) -> Iterator[Figure]:
    of_store = [trouble for trouble in book.troubles if trouble.is_of_store]
    cut = [trouble for trouble in book.troubles if not trouble.is_of_store]
    yield _unfounded("errors of the database while it was there", of_store, replicas.downs, _POSTGRES)
    yield _unfounded("requests cut while nothing was down", cut, replicas.downs, _POSTGRES, _REPLICA)
    yield _after("the last error after PostgreSQL is back", of_store, replicas.downs, _POSTGRES)
    kills = sum(down.what == _REPLICA for down in replicas.downs)
    cost = [trouble for trouble in cut if not _touched(replicas.downs, trouble.begun, trouble.ended, _BACK, _POSTGRES)]
    yield Figure("requests that a kill costs", len(cost) / max(kills, 1), "", at_most(_CLIENTS), f"{kills} kills")


def _limits(replicas: ReplicaSet, limited: LimitedClient) -> Iterator[Figure]:
    """Yield how many requests of one client were let through in a window, over all replicas."""
    shared = [0]
    for begun, number in limited.windows():
        if not _touched(replicas.downs, begun, begun + WINDOW, _BACK, _VALKEY, _LONE):
            shared.append(number)
    note = f"{len(shared) - 1} windows of {WINDOW:.0f} s"
    yield Figure("most of a client that were let through in a window", max(shared), "", at_most(LIMIT), note)
    yield Figure("requests of that client that were refused", limited.refused, "", at_least(1))


def _lone(logged: str) -> Iterator[Down]:
    """Yield when a replica limited nothing, according to its log: so it is if Valkey takes too long."""
    since = time.monotonic() - time.time()
    away = None
    for line in logged.splitlines():
        if "barcodesvc.api.guard.rate_limit" in line:
            now = datetime.strptime(line[:23], _LOG_TIME).timestamp() + since  # noqa: DTZ007 - in the time of this machine
            if "rate limits are off" in line:
                away = Down(_LONE, now, now + _BACK)
                yield away
            elif away:
                away.back = now


def _unfounded(name: str, troubles: list[Trouble], downs: list[Down], *causes: str) -> Figure:
    left = [one for one in troubles if not _touched(downs, one.begun, one.ended, _BACK, *causes)]
    told = Counter(trouble.what[:160] for trouble in left)
    return Figure(name, len(left), "", at_most(0), _told(told))


def _after(name: str, troubles: list[Trouble], downs: list[Down], cause: str) -> Figure:
    backs = [down for down in downs if down.what == cause]
    waits = [
        trouble.ended - down.back
        for trouble in troubles
        for down in backs
        if down.touches(trouble.begun, trouble.ended, _BACK)
    ]
    return Figure(name, max([0.0, *waits]), "s", at_most(_BACK), f"{len(troubles)} errors")


def _touched(downs: list[Down], begun: float, ended: float, after: float, *causes: str) -> bool:
    return any(down.what in causes and down.touches(begun, ended, after) for down in downs)
