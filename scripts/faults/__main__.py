"""Faults that the service must survive, inflicted on a private service; each figure is printed with its target.

    scripts/chaos                       everything, in its full length
    scripts/chaos overload              all of one group
    scripts/chaos overload mix          parts of it
    scripts/chaos --brief               what fits into CI, each part shortened

The status is 1 if any figure misses its target; for a brief run only counts matter, because times on a shared machine
say little.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from scripts.benchmarks.report import Figure, missed, run, summary
from scripts.faults import attacks, install, overload, replicas
from scripts.faults.kill import killed
from scripts.faults.soak import soak

FAULTS: Mapping[str, Mapping[str, Callable[..., Iterator[Figure]]]] = {
    "kill": {"writes": killed},
    "replicas": {"mixed": replicas.mixed},
    "soak": {"mixed": soak},
    "overload": {**overload.PARTS, **attacks.PARTS},
    "install": install.PARTS,
}
"""Parts of each group; each is called with whether it is to be `brief`."""


def main(arguments: list[str]) -> int:
    """Run the selected parts, print each figure as it comes, and return the exit status."""
    brief = "--brief" in arguments
    names = [argument for argument in arguments if argument != "--brief"]
    groups = {
        group: {name: partial(part, brief=brief) for name, part in parts.items()} for group, parts in FAULTS.items()
    }
    try:
        figures = [figure for _, figure in run(groups, names)]
    except LookupError:
        raise SystemExit(__doc__) from None
    print(f"\n{summary(figures)}")
    return int(bool(missed(figure for figure in figures if not brief or not figure.unit)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
