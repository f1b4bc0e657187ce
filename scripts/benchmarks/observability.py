"""How much metrics and the access log slow down a cached barcode, where their share of the cost is greatest.

The rounds alternate and are short and many, because the effect is small compared with the noise of a busy machine.
"""

from collections.abc import Iterator
from itertools import repeat

from scripts.benchmarks.codes import BARCODE, REPEATED
from scripts.benchmarks.load import post
from scripts.benchmarks.report import Figure, at_least
from scripts.benchmarks.service import serving
from scripts.benchmarks.turns import Contender, by_turns, share

VARIANTS = {
    "neither": {"metrics": False, "access_log": False},
    "metrics": {"metrics": True, "access_log": False},
    "access log": {"metrics": True, "access_log": True},
}
METRICS_SHARE = at_least(0.95)
LOG_SHARE = at_least(0.75)
ROUNDS = 45
SECONDS = 0.4


def cost() -> Iterator[Figure]:
    """Yield the share of the throughput that is left with each."""
    request = post(BARCODE, REPEATED[BARCODE])
    with serving(*VARIANTS.values()) as server:
        contenders = {
            name: Contender(server, port, repeat(request)) for name, port in zip(VARIANTS, server.ports, strict=False)
        }
        turns = by_turns(contenders, ROUNDS, SECONDS)
    yield share("cached barcode with metrics, share of neither", turns, ("metrics", "neither"), METRICS_SHARE)
    yield share("cached barcode with access log, share of metrics", turns, ("access log", "metrics"), LOG_SHARE)
