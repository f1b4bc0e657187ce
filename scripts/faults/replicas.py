"""Three replicas behind a balancer, on one PostgreSQL, under mixed traffic, while one part after the other fails.

A replica is killed every few seconds and started again. PostgreSQL is restarted twice, as by a crash. Valkey, in which
the replicas count requests together, is down for a while; no client reaches the limit.
"""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from scripts.benchmarks.report import Figure, at_least, at_most
from scripts.faults.clients import Book, Client, Trouble, busy
from scripts.faults.replica_set import Down, ReplicaSet, is_well, replica_set, start_again
from scripts.faults.stored_data import differences, select_from_server, wrong_in_server
from tests.served import WAIT, Service

_SECONDS, _BRIEF_SECONDS = 600.0, 40.0
_LEAST, _BRIEF_LEAST = 2000, 100
"""Confirmed changes without which the rest means nothing."""
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
_SHOWN = 4000
"""Characters of a log."""
_NEVER_REACHED = "999999999/15 minutes"


def mixed(*, brief: bool) -> Iterator[Figure]:
    """Let clients change things while replicas and the database fail and return, and compare with the responses."""
    with replica_set(_REPLICAS, rate_limit=_NEVER_REACHED) as replicas:
        book, stop = Book(), threading.Event()
        clients = [Client(replicas.port, seed, book, stop) for seed in range(_CLIENTS)]
        clients[0].create_products()
        with _watched(replicas, book), busy(clients, stop):
            _break_things(replicas, _BRIEF_SECONDS if brief else _SECONDS)
        time.sleep(_BACK)
        unwell = sum(not is_well(replica) for replica in replicas.replicas)
        address, least = replicas.postgres.address(), _BRIEF_LEAST if brief else _LEAST
        found = wrong_in_server(address) + differences(partial(select_from_server, address), book) + book.wrong
        logged = "".join(replica.errors() for replica in replicas.replicas)
        yield Figure("changes answered", len(book.made), "", at_least(least), _numbers(replicas, book))
        yield Figure("lost, counted twice, or wrong in the history", found.total(), "", at_most(0), _told(found))
        yield from _errors(replicas, book)
        yield Figure("replicas that are not well at the end", unwell, "", at_most(0))
        yield Figure("tracebacks in their logs", logged.count("Traceback"), "", at_most(0), _first_traceback(logged))
        yield Figure("the slowest response", book.slowest, "s", at_most(WAIT / 2))


def _numbers(replicas: ReplicaSet, book: Book) -> str:
    downs = Counter(down.what for down in replicas.downs)
    counted = {**downs, "imports": len(book.imports), "exports": book.exports, "refused": len(book.refused)}
    return json.dumps(counted | {"left open": len(book.open), "errors": len(book.troubles)})


def _told(found: Counter[str]) -> str:
    return "; ".join(f"{number} x {what}" for what, number in found.items() if number)


def _first_traceback(logged: str) -> str:
    _, begin, rest = logged.partition("Traceback")
    return (begin + rest)[:_SHOWN]


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


def _replace(replicas: ReplicaSet, replica: Service) -> None:
    with replicas.away(_REPLICA):
        replica.kill()
        start_again(replica)


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
                if is_well(replica) or replica.process.poll() is not None:
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
    kills = sum(down.what == _REPLICA for down in replicas.downs)
    cost = [trouble for trouble in cut if not _touched(replicas.downs, trouble.begun, trouble.ended, _BACK, _POSTGRES)]
    yield Figure("requests that a kill costs", len(cost) / max(kills, 1), "", at_most(_CLIENTS), f"{kills} kills")


def _unfounded(name: str, troubles: list[Trouble], downs: list[Down], *causes: str) -> Figure:
    left = [one for one in troubles if not _touched(downs, one.begun, one.ended, _BACK, *causes)]
    told = Counter(trouble.what[:160] for trouble in left)
    return Figure(name, len(left), "", at_most(0), _told(told))


def _touched(downs: list[Down], begun: float, ended: float, after: float, *causes: str) -> bool:
    return any(down.what in causes and down.touches(begun, ended, after) for down in downs)
