"""Faults that the service must survive, inflicted on a private service; each figure is printed with its target.

    scripts/chaos                       everything, in its full length
    scripts/chaos overload              all of one group
    scripts/chaos overload scans        parts of it
    scripts/chaos --brief               what fits into CI, each part shortened

The status is 1 if any figure misses its target; for a brief run only counts matter, because times on a shared machine
say little.
"""

import sys
from collections.abc import Callable, Iterator, Mapping

from scripts.benchmarks.report import Figure, missed, summary
from scripts.faults import attacks, install, overload, replicas
from scripts.faults.extent import Extent
from scripts.faults.kill import killed
from scripts.faults.soak import soak

Part = Callable[[Extent], Iterator[Figure]]

FAULTS: Mapping[str, Mapping[str, Part]] = {
    "kill": {"writes": killed},
    "replicas": {"mixed": replicas.mixed},
    "soak": {"mixed": soak},
    "overload": {**overload.PARTS, **attacks.PARTS},
    "install": install.PARTS,
}


def main(arguments: list[str]) -> int:
    """Run the selected parts, print each figure as it comes, and return the exit status."""
    extent = Extent.BRIEF if "--brief" in arguments else Extent.FULL
    names = [argument for argument in arguments if argument != "--brief"]
    figures = [figure for title, part in _asked(names) for figure in _printed(title, part(extent))]
    print(f"\n{summary(figures)}")
    return int(bool(missed(figure for figure in figures if extent is Extent.FULL or not figure.unit)))


def _asked(arguments: list[str]) -> Iterator[tuple[str, Part]]:
    names, parts = arguments[:1] or list(FAULTS), arguments[1:]
    for name in names:
        known = FAULTS.get(name, {})
        if not known or set(parts) - set(known):
            raise SystemExit(__doc__)
        yield from ((f"{name} {part}", known[part]) for part in known if part in parts or not parts)


def _printed(title: str, figures: Iterator[Figure]) -> Iterator[Figure]:
    print(f"\n{title}", flush=True)
    for figure in figures:
        print(figure, flush=True)
        yield figure


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
