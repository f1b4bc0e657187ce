"""README and docs/ are true: tables match the code, pictures and the demo are reproduced, links lead somewhere."""

import configparser
import json
import re
import subprocess
import sys
from pathlib import Path

from PIL import Image, ImageChops
from prometheus_client.parser import text_string_to_metric_families

from barcodesvc import errors
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.routes import ROUTES
from barcodesvc.config import PREFIX, Settings
from barcodesvc.symbols.registry import SYMBOLOGIES
from tests.browser.screenshots import VIEWS
from tests.fixture_types import Client
from tests.pages import PAGES, ROOT, anchor, code, headings, section, table, tour
from tests.sweeps import sweep

SETTINGS_TABLES = {
    title: table("docs/settings.md", title) for title in ("Everyday settings", "Limits", "Expert settings")
}


def test_settings_tables_have_every_setting() -> None:
    """Each is in one of the tables, exactly once."""
    written = [code(row[0]) for rows in SETTINGS_TABLES.values() for row in rows]
    assert sorted(written) == sorted(PREFIX + name.upper() for name in Settings.model_fields)


def test_dependency_table_is_the_dependencies() -> None:
    """Each dependency in setup.cfg has a line, those of users' extras last, and no other has one."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    extras = setup["options.extras_require"]
    asked = "\n".join((setup["options"]["install_requires"], extras["postgres"], extras["valkey"], extras["find"]))
    names = re.findall(r"^([\w-]+)", asked, re.MULTILINE)
    assert [code(row[0]) for row in table("docs/development.md", "Dependencies")] == names


def test_every_package_for_development_has_its_line() -> None:
    """Those of the extras that scripts install, each once."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    extras = setup["options.extras_require"]
    asked = {name for extra in ("test", "bench", "check", "audit", "mutate", "lock") for name in extras[extra].split()}
    assert [code(row[0]) for row in table("docs/development.md", "Packages for development")] == sorted(asked)


def test_table_of_npm_packages_is_what_is_pinned() -> None:
    """Each package has a line, and no other has one."""
    pinned = json.loads((ROOT / "scripts" / "page-packages" / "package.json").read_text())["dependencies"]
    assert [code(row[0]) for row in table("docs/development.md", "Packages of npm")] == list(pinned)


def test_readme_counts_the_symbologies() -> None:
    """The number that it names is that of the registry."""
    assert f"draws {len(SYMBOLOGIES)} symbologies" in (ROOT / "README.md").read_text("utf-8")


async def test_metric_table_is_what_a_scrape_shows(client: Client) -> None:
    """The page names every metric with its labels."""
    await client.post("/api/codes/barcode", json={"product_code": "A-1"})
    metrics = client.app[METRICS]
    metrics.failed(errors.ProductNotFound("no such product"))
    metrics.rate_limited(["requests"])
    metrics.stream_cut("left")
    metrics.import_ended("done", {"imported": 1})
    metrics.export_began("products", "csv")
    metrics.job_became("zebra", "printed")
    metrics.labels_printed("zebra", 1)
    metrics.printer_became("zebra", "ready")
    text = await (await client.get("/metrics")).text()
    shown = {
        (
            family.name.removeprefix("barcodesvc_") + "_total" * (family.type == "counter"),
            frozenset(label for sample in family.samples for label in sample.labels) - {"le"},
        )
        for family in text_string_to_metric_families(text)
        if not family.name.startswith("process_")
    }
    named = [
        (name, frozenset(re.findall(r"`(.+?)`", labels)))
        for _, cell in table("docs/monitoring.md", "Metrics")
        for name, labels in re.findall(r"`(\w+)`(?: \((.+?)\))?", cell)
    ]
    assert sorted(named, key=str) == sorted(shown, key=str)


def test_every_named_script_exists() -> None:
    """Every script or file of the repository that a page names exists; an absolute path is of another machine."""
    text = "".join(page.read_text("utf-8") for page in PAGES)
    named = set(re.findall(r"(?<!/)\b(?:scripts|sql|tests|barcodesvc)/[\w./-]*\w", text))
    fetched = {"barcodesvc/page/library"}  # by scripts/setup
    assert {name for name in named - fetched if not (ROOT / name).exists()} == set()


def test_demo_prints_what_the_readme_shows() -> None:
    """The README shows the demo's actual output."""
    command = [sys.executable, "-m", "scripts.demo"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 - the demo
    assert shown.stdout in section("README.md", "The demo")


TOURS = [("README.md", "A tour in ten lines"), ("tests/contract/tour.md", "A tour with curl")]


def test_tour_visits_every_route() -> None:
    """The long tour covers every route."""
    visited = set()
    for step in tour(*TOURS[1]):
        method = re.search(r"-X (\w+)", step.command)
        posts = "--json" in step.command or "-F" in step.command
        path = re.search(r"8080([^\s'?\"]*)", step.command)
        assert path
        visited.add(
            (
                method[1] if method else "POST" if posts else "GET",
                re.sub(r"/(\d+(?=/|$)|[^/]+(?=\.(svg|png)$)|(?<=docs/|outs/|ages/|ters/)[^/]+)", "/ID", path[1]),
            )
        )
    assert visited == {(route.method, re.sub(r"\{\w+\}", "ID", route.path)) for route in ROUTES}


MESSAGES = "".join(
    path.read_text("utf-8")
    for path in (*ROOT.glob("barcodesvc/**/*.py"), *ROOT.glob("barcodesvc/page/*/en.js"), ROOT / "scripts/setup")
)


@sweep("title", [heading for _, heading in headings(ROOT / "docs/troubleshooting.md")][:-1])
def test_symptoms_quote_messages_that_exist(title: str) -> None:
    """Each message that the page quotes as a symptom is in the service, its web app or its set-up."""
    quoted = re.findall(r'"([^"]+)"', " ".join(row[0] for row in table("docs/troubleshooting.md", title)))
    assert [message for message in quoted if message not in MESSAGES] == []


def test_figures_name_their_command_and_date() -> None:
    """Each row is as `scripts/bench` prints it: its command exists, and a date says when it was measured."""
    described = (ROOT / "scripts/benchmarks/__main__.py").read_text("utf-8")
    rows = table("docs/performance.md", "Results")
    assert rows
    for figure, *_, command, date in rows:
        name, part = code(command).removeprefix("scripts/bench ").split()
        assert re.search(rf"^{name}: .*\b{part}\b", described, re.MULTILINE), figure
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", date), figure


def test_readme_links_to_every_page() -> None:
    """Every page of docs/ can be reached from the README."""
    linked = re.findall(r"\((docs/[\w-]+\.md)\)", section("README.md", "Documentation"))
    assert sorted(ROOT / name for name in linked) == PAGES[1:]


@sweep("page", PAGES)
def test_links_of_a_page_resolve(page: Path) -> None:
    """A link between pages leads to an existing file, and an existing heading in it."""
    for address in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        name, _, fragment = address.partition("#")
        target = page.parent / name if name else page
        assert target.is_file(), f"{page.name}: {address}"
        assert not fragment or fragment in [anchor(heading) for _, heading in headings(target)], (
            f"{page.name}: {address}"
        )


def test_pictures_are_what_the_service_draws(tmp_path: Path) -> None:
    """`scripts/pictures` reproduces the pictures of the README."""
    command = [sys.executable, "-m", "scripts.pictures", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=60)  # noqa: S603 - fixed text
    shown = ROOT / "docs" / "images"
    drawn = {path.name for path in tmp_path.iterdir()}
    by_hand = {"parts.svg"}
    assert {path.name for path in shown.iterdir()} == drawn | by_hand | {f"{name}.png" for name, *_ in VIEWS}
    for drawing in tmp_path.glob("*.svg"):
        assert drawing.read_bytes() == (shown / drawing.name).read_bytes(), f"{drawing.name}: run scripts/pictures"
    for picture in tmp_path.glob("*.png"):
        with Image.open(picture) as new, Image.open(shown / picture.name) as old:
            assert ImageChops.difference(old, new).getbbox() is None, f"{picture.name}: run scripts/pictures"
