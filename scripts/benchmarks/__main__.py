"""Measures speed as ratios, each in one run. Prints each figure with its target, then all of them as a Markdown table.

    scripts/bench                       everything
    scripts/bench codes                 all of one benchmark
    scripts/bench codes cached qr       parts of it

codes: cached, code128, qr
labels: sheets, formats, qr
spreadsheets: import, export, latency
decode: speed, image, drawn, empty, hostile, scale; photos FOLDER
products: lists
changes: levels
observability: cost
page: first, camera, kiosk, printer, storm
replicas: engines, processes, scale, lists
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from scripts.benchmarks.changes import levels
from scripts.benchmarks.codes import cached, uncached_code128, uncached_qr
from scripts.benchmarks.decode import drawn, empty, hostile, image, photos, scale as decode_scale, speed
from scripts.benchmarks.labels import formats, qr as label_qr, sheets
from scripts.benchmarks.observability import cost
from scripts.benchmarks.page import camera, first_view, kiosk, printer, storm
from scripts.benchmarks.products import lists as product_lists
from scripts.benchmarks.replicas import engines, lists as replica_lists, processes, scale as replica_scale
from scripts.benchmarks.report import HEADER, Figure, summary
from scripts.benchmarks.spreadsheets import exports, imports, latency as spreadsheet_latency

Part = Callable[[], Iterator[Figure]]

BENCHMARKS: Mapping[str, Mapping[str, Part]] = {
    "codes": {
        "cached": cached.measure,
        "code128": uncached_code128.measure,
        "qr": uncached_qr.measure,
    },
    "labels": {
        "sheets": sheets.measure,
        "formats": formats.measure,
        "qr": label_qr.measure,
    },
    "spreadsheets": {
        "import": imports.measure,
        "export": exports.measure,
        "latency": spreadsheet_latency.measure,
    },
    "decode": {
        "speed": speed.measure,
        "image": image.measure,
        "drawn": drawn.measure,
        "empty": empty.measure,
        "hostile": hostile.measure,
        "scale": decode_scale.measure,
    },
    "products": {
        "lists": product_lists.measure,
    },
    "changes": {
        "levels": levels.measure,
    },
    "observability": {
        "cost": cost.measure,
    },
    "page": {
        "first": first_view.measure,
        "camera": camera.measure,
        "kiosk": kiosk.measure,
        "printer": printer.measure,
        "storm": storm.measure,
    },
    "replicas": {
        "engines": engines.measure,
        "processes": processes.measure,
        "scale": replica_scale.measure,
        "lists": replica_lists.measure,
    },
}


PHOTOS_AND_FOLDER = 3
"""Arguments of the only benchmark that needs something from outside: a folder of pictures."""


def main(arguments: list[str]) -> None:
    """Run the benchmarks named on the command line and print each figure as it comes."""
    measured = [(title, figure) for title, part in _asked(arguments) for figure in _printed(title, part)]
    print(f"\n{summary([figure for _, figure in measured])}\n\n{HEADER}")
    today = time.strftime("%Y-%m-%d")
    print(*(figure.row(f"scripts/bench {title}", today) for title, figure in measured), sep="\n")


def _asked(arguments: list[str]) -> Iterator[tuple[str, Part]]:
    if len(arguments) == PHOTOS_AND_FOLDER and arguments[:2] == ["decode", "photos"]:
        yield "decode photos", partial(photos.measure, Path(arguments[2]))
        return
    names, parts = arguments[:1] or list(BENCHMARKS), arguments[1:]
    for name in names:
        known = BENCHMARKS.get(name, {})
        if not known or set(parts) - set(known):
            raise SystemExit(__doc__)
        yield from ((f"{name} {part}", known[part]) for part in known if part in parts or not parts)


def _printed(title: str, part: Part) -> Iterator[Figure]:
    print(f"\n{title}", flush=True)
    for figure in part():
        print(figure, flush=True)
        yield figure


if __name__ == "__main__":
    main(sys.argv[1:])
