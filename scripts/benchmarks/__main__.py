"""Measures speed as ratios, each in one run. Prints each figure with its target, then all of them as a Markdown table.

    scripts/bench                       everything
    scripts/bench codes                 all of one benchmark
    scripts/bench codes cached qr       parts of it

codes: cached, code128, qr
labels: sheets
spreadsheets: import, export, latency
decode: speed, image, drawn, hostile, scale; photos FOLDER
changes: levels
observability: cost
page: first, camera, kiosk, printer, storm
replicas: engines, processes, scale
"""

import sys
import time
from functools import partial
from pathlib import Path

from scripts.benchmarks import (
    changes,
    codes,
    decode,
    hostile_pictures,
    labels,
    observability,
    page,
    pictures,
    replicas,
    scale,
    spreadsheets,
)
from scripts.benchmarks.report import HEADER, Subjects, run, summary

BENCHMARKS: Subjects = {
    "codes": {"cached": codes.cached, "code128": codes.code128, "qr": codes.qr},
    "labels": {"sheets": labels.sheets},
    "spreadsheets": {
        "import": spreadsheets.imports,
        "export": spreadsheets.exports,
        "latency": spreadsheets.latency,
    },
    "decode": {
        "speed": decode.speed,
        "image": decode.image,
        "drawn": pictures.drawn,
        "hostile": hostile_pictures.hostile,
        "scale": scale.on_sqlite,
    },
    "changes": {"levels": changes.levels},
    "observability": {"cost": observability.cost},
    "page": {
        "first": partial(page.in_browser, page.first_view),
        "camera": partial(page.in_browser, page.camera),
        "kiosk": partial(page.in_browser, page.kiosk),
        "printer": partial(page.in_browser, page.printer),
        "storm": partial(page.in_browser, page.storm),
    },
    "replicas": {"engines": replicas.engines, "processes": replicas.processes, "scale": replicas.million},
}
PHOTOS = ["decode", "photos"]


def main(names: list[str]) -> None:
    """Run the benchmarks named on the command line."""
    subjects = BENCHMARKS
    if names[:2] == PHOTOS:  # the only one that needs something from outside: a folder of pictures
        folder = Path(*names[2:])
        names, subjects = PHOTOS, {"decode": {"photos": partial(pictures.photos, folder)}}
    try:
        measured = list(run(subjects, names))
    except LookupError:
        raise SystemExit(__doc__) from None
    print(f"\n{summary([figure for _, figure in measured])}\n\n{HEADER}")
    today = time.strftime("%Y-%m-%d")
    print(*(figure.row(f"scripts/bench {title}", today) for title, figure in measured), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
