"""Compares servers in turns: short rounds one after the other, and the median of the ratios of neighbours.

If the machine is slow for a while, it is slow for both neighbours, so the ratios hold even when the figures vary.
"""

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import uvloop

from scripts.benchmarks.load import CONNECTIONS, Round, for_seconds, send_load
from scripts.benchmarks.report import Figure, Target
from scripts.benchmarks.servers import Server

ROUNDS = 7
SECONDS = 1.2


@dataclass(frozen=True, slots=True)
class Contender:
    """A server under a load that never ends."""

    server: Server
    port: int
    requests: Iterator[bytes]
    connections: int = CONNECTIONS

    def one_round(self, seconds: float = SECONDS) -> Round:
        """Send load for this long."""
        limited = for_seconds(seconds, self.requests)
        return uvloop.run(send_load(self.server, self.port, limited, self.connections))


@dataclass(frozen=True, slots=True)
class Turns:
    """The rounds of every contender, by name, in the order in which they were run."""

    rounds: Mapping[str, list[Round]]

    def per_second(self, name: str) -> float:
        """Return the median of the requests per second."""
        return statistics.median(one.per_second for one in self.rounds[name])

    def cpu_microseconds(self, name: str) -> float:
        """Return the median of the server's processor time per request."""
        return statistics.median(one.cpu_microseconds for one in self.rounds[name])

    def speed_ratio(self, name: str, other: str) -> float:
        """Return the requests per second as a multiple of the other's."""
        return statistics.median(a.per_second / b.per_second for a, b in self._neighbours(name, other))

    def cpu_ratio(self, name: str, other: str) -> float:
        """Return the processor time per request as a multiple of the other's."""
        return statistics.median(a.cpu_microseconds / b.cpu_microseconds for a, b in self._neighbours(name, other))

    def rates(self, name: str, other: str) -> str:
        """Return what the ratios were computed from."""
        return (
            f"{self.per_second(name):,.0f} requests/s against {self.per_second(other):,.0f}; "
            f"{self.cpu_microseconds(name):,.0f} µs of processor time against {self.cpu_microseconds(other):,.0f}"
        )

    def _neighbours(self, name: str, other: str) -> Iterator[tuple[Round, Round]]:
        return zip(self.rounds[name], self.rounds[other], strict=True)


def by_turns(contenders: Mapping[str, Contender], rounds: int = ROUNDS, seconds: float = SECONDS) -> Turns:
    """Run rounds of each contender in turn, after one that is not counted."""
    for contender in contenders.values():
        contender.one_round(seconds / 2)
    return in_turns({name: partial(one.one_round, seconds) for name, one in contenders.items()}, rounds)


def in_turns(contenders: Mapping[str, Callable[[], Round]], rounds: int) -> Turns:
    """Run rounds of each contender in turn."""
    measured: dict[str, list[Round]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, one_round in contenders.items():
            measured[name].append(one_round())
    return Turns(measured)


def share(name: str, turns: Turns, compared: tuple[str, str], target: Target) -> Figure:
    """Return the speed of one contender as a share of the other's."""
    return Figure(name, turns.speed_ratio(*compared), "%", target, turns.rates(*compared))


def times(name: str, turns: Turns, compared: tuple[str, str], target: Target) -> Figure:
    """Return the time of one contender as a multiple of the other's, so that less is better."""
    one, other = compared
    note = (
        f"{1000 / turns.per_second(one):,.0f} ms against {1000 / turns.per_second(other):,.0f}; "
        f"processor time {turns.cpu_microseconds(one) / 1000:,.0f} ms against "
        f"{turns.cpu_microseconds(other) / 1000:,.0f}, a factor of {turns.cpu_ratio(one, other):.2f}"
    )
    return Figure(name, turns.speed_ratio(other, one), "x", target, note)
