"""README and docs/ are true: tables match the code, tours run, pictures and the demo are reproduced."""

from __future__ import annotations

import configparser
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from aiohttp import FormData
from PIL import Image, ImageChops
from prometheus_client.parser import text_string_to_metric_families
from yarl import URL

from barcodesvc import errors
from barcodesvc.api.observe.metrics import METRICS
from barcodesvc.api.resources.label_requests import Layout
from barcodesvc.api.routes import ROUTES
from barcodesvc.config import PREFIX, Settings, load_settings
from barcodesvc.symbols.registry import SYMBOLOGIES
from scripts.browser.screenshots import VIEWS
from tests.conftest import Client, ClientMaker
from tests.pages import PAGES, ROOT, anchor, code, headings, section, sentences, table
from tests.sweeps import sweep
from tests.test_architecture import FLOORS

LONG_SENTENCE = 25


def test_route_table_is_the_api() -> None:
    """The page lists every route, and no other, in the order of the code's table."""
    assert [(row[0], code(row[1])) for row in table("docs/api.md", "Routes")] == [
        (route.method, route.path) for route in ROUTES
    ]


def error_classes(root: type[errors.ServiceError]) -> Iterator[type[errors.ServiceError]]:
    """Yield the errors of the tree that a request can end with."""
    for kind in root.__subclasses__():
        yield kind
        yield from error_classes(kind)


def test_error_table_is_the_error_tree() -> None:
    """The page lists exactly the pairs of status and code that the tree of errors has."""
    written = {(int(row[0]), code(row[1])) for row in table("docs/api.md", "Errors")}
    assert written == {(kind.status, kind.code) for kind in error_classes(errors.ServiceError)}


def test_settings_table_is_the_settings() -> None:
    """The page lists every setting with its default and meaning."""
    fields = Settings.model_fields
    written = [(code(row[0]), row[2]) for row in table("docs/settings.md", "Table of settings")]
    assert written == [(PREFIX + name.upper(), field.description) for name, field in fields.items()]


def test_settings_defaults_are_the_defaults() -> None:
    """Setting every variable with a default to the documented one changes nothing."""
    written = {
        code(row[0]): code(row[1]) for row in table("docs/settings.md", "Table of settings") if row[1] != "not set"
    }
    assert load_settings(written) == Settings()


def test_dependency_table_is_the_dependencies() -> None:
    """Each dependency in setup.cfg has a line, those of users' extras last, and no other has one."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    extras = setup["options.extras_require"]
    asked = "\n".join((setup["options"]["install_requires"], extras["postgres"], extras["valkey"]))
    names = re.findall(r"^([\w-]+)", asked, re.MULTILINE)
    assert [code(row[0]) for row in table("docs/development.md", "Dependencies")] == names


def test_symbology_table_is_the_registry() -> None:
    """The page lists every symbology with its aliases and rules."""
    written = [
        (code(row[0]), tuple(re.findall(r"`(.+?)`", row[1])), *row[2:])
        for row in table("docs/symbologies.md", "Formats")
    ]
    assert written == [
        (entry.name, entry.aliases, entry.alphabet, entry.length, entry.check_digit) for entry in SYMBOLOGIES
    ]


def test_layout_table_is_the_layout() -> None:
    """The page lists every field of a label sheet's layout, in order."""
    written = [field for row in table("docs/labels.md", "Layout") for field in re.findall(r"`(.+?)`", row[0])]
    assert written == list(Layout.model_fields)


async def test_metric_table_is_what_a_scrape_shows(client: Client) -> None:
    """The page lists every metric with its labels and meaning, in scrape order."""
    await client.post("/api/codes/barcode", json={"product_code": "A-1"})
    metrics = client.app[METRICS]
    metrics.failed(errors.ProductNotFound("no such product"))
    metrics.rate_limited(["requests"])
    metrics.stream_cut("left")
    metrics.import_ended("done", {"imported": 1})
    metrics.export_began("products", "csv")
    text = await (await client.get("/metrics")).text()
    shown = [
        (
            family.name + "_total" * (family.type == "counter"),
            {label for sample in family.samples for label in sample.labels} - {"le"},
            family.documentation,
        )
        for family in text_string_to_metric_families(text)
        if not family.name.startswith("process_")
    ]
    assert [
        (code(row[0]), set(re.findall(r"`(.+?)`", row[1])), row[2])
        for row in table("docs/operating.md", "Metrics and logs")
    ] == shown


def test_every_named_script_exists() -> None:
    """Every script or file of the repository that a page names exists; an absolute path is of another machine."""
    text = "".join(page.read_text("utf-8") for page in PAGES)
    named = set(re.findall(r"(?<!/)\b(?:scripts|sql|tests|barcodesvc)/[\w./-]*\w", text))
    assert {name for name in named if not (ROOT / name).exists()} == set()


@pytest.fixture(scope="session")
def demonstrated() -> str:
    """Return the output of scripts/demo."""
    command = [sys.executable, "scripts/demo.py"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60).stdout  # noqa: S603 - the demo


def test_demo_prints_what_the_readme_shows(demonstrated: str) -> None:
    """The README shows the demo's actual output."""
    assert demonstrated in section("README.md", "The demo")


@dataclass(frozen=True)
class Step:
    """A command of a tour and the documented response; … matches anything."""

    command: str
    answer: str


TOURS = [("README.md", "A tour in ten lines"), ("docs/api.md", "A tour with curl")]


def tour(page: str, title: str) -> list[Step]:
    """Return the steps of a tour."""
    blocks = re.findall(r"```console\n(.*?)```", section(page, title), re.DOTALL)
    steps = re.findall(r"^\$ (curl .*?[^\\])\n(.*?)(?=^\$ |\Z)", "".join(blocks), re.MULTILINE | re.DOTALL)
    return [Step(command.replace("\\\n", " "), answer.strip()) for command, answer in steps]


async def run(client: Client, command: str, folder: Path) -> str:
    """Run a curl command against the client's service and return what it would print."""
    words = iter(shlex.split(command)[1:])
    method, url = "", ""
    data: str | FormData | None = None
    target: Path | None = None
    headers: dict[str, str] = {}
    for word in words:
        if word == "-X":
            method = next(words)
        elif word == "--json":
            data, headers = next(words), {"Content-Type": "application/json"}
        elif word == "-F":
            name, _, file = next(words).partition("=@")
            form = data = FormData()
            form.add_field(name, (ROOT / file).read_bytes(), filename=Path(file).name)
        elif word == "-o":
            target = folder / next(words)
        elif word != "-s":
            url = word
    path = url.removeprefix("http://127.0.0.1:8080")
    async with client.request(
        method or ("POST" if data else "GET"), URL(path, encoded=True), data=data, headers=headers
    ) as response:
        answer = await response.read()
    if target is None:
        return answer.decode("utf-8-sig").strip()
    target.write_bytes(answer)
    return ""


@pytest.mark.parametrize(("page", "title"), TOURS)
async def test_tour_answers_as_shown(
    make_client: ClientMaker, tmp_path: Path, demonstrated: str, page: str, title: str
) -> None:
    """Every command of a tour, in order, gets the response that is shown below it."""
    assert demonstrated
    client = await make_client()
    for step in tour(page, title):
        pattern = ".*".join(re.escape(part.strip()) for part in re.sub(r"\s*\n\s*", "", step.answer).split("…"))
        got = (await run(client, step.command, tmp_path)).replace("\r\n", "")
        assert re.fullmatch(pattern, got, re.DOTALL), f"{step.command}\n{got}"


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
                re.sub(r"/(\d+(?=/|$)|[^/]+(?=\.(svg|png)$)|(?<=/docs/)[^/]+)", "/ID", path[1]),
            )
        )
    assert visited == {(route.method, re.sub(r"\{\w+\}", "ID", route.path)) for route in ROUTES}


def test_readme_is_short() -> None:
    """The README can be read in one sitting; the pages have the rest."""
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


@sweep("page", PAGES[1:])
def test_page_begins_with_its_contents(page: Path) -> None:
    """A list below the title links to every heading of the page, in order, with lower ones indented."""
    above = page.read_text("utf-8").partition("\n## ")[0]
    contents = re.findall(r"^( *)- \[(.+)\]\(#(.+)\)$", above, re.MULTILINE)
    assert contents == [("  " * (rank - 2), heading, anchor(heading)) for rank, heading in headings(page)]


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


@sweep("page", PAGES)
def test_sentences_are_short(page: Path) -> None:
    """Every sentence of the prose has fewer than 25 words."""
    assert [sentence for sentence in sentences(page) if len(sentence.split()) >= LONG_SENTENCE] == []


def test_pictures_are_what_the_service_draws(tmp_path: Path) -> None:
    """`scripts/pictures` reproduces the pictures of the README."""
    command = [sys.executable, "scripts/pictures.py", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=60)  # noqa: S603 - fixed text
    shown = ROOT / "docs" / "images"
    drawn = {path.name for path in tmp_path.iterdir()}
    assert {path.name for path in shown.iterdir()} == drawn | {FLOOR_PLAN.name} | {f"{name}.png" for name, *_ in VIEWS}
    for drawing in tmp_path.glob("*.svg"):
        assert drawing.read_bytes() == (shown / drawing.name).read_bytes(), f"{drawing.name}: run scripts/pictures"
    for picture in tmp_path.glob("*.png"):
        with Image.open(picture) as new, Image.open(shown / picture.name) as old:
            assert ImageChops.difference(old, new).getbbox() is None, f"{picture.name}: run scripts/pictures"


FLOOR_PLAN = ROOT / "docs" / "images" / "floors.svg"


def test_floor_plan_is_the_one_that_imports_keep() -> None:
    """The picture of the floors has every part of the package on its floor, and no other."""
    floors = ET.parse(FLOOR_PLAN).iterfind(".//{*}g[@class='floor']")  # noqa: S314 - a file of the checkout
    drawn = {part.text: int(floor.attrib["id"].removeprefix("floor-")) for floor in floors for part in floor[1:]}
    assert drawn == FLOORS


def test_floor_table_is_the_one_that_imports_keep() -> None:
    """The table of the floors has every part of the package on its floor, and no other."""
    named = {
        part.removeprefix("barcodesvc/").partition("/")[0].removesuffix(".py"): int(row[0])
        for row in table("docs/architecture.md", "Floors")
        for part in re.findall(r"`((?:barcodesvc|sql)/[^`]*)`", row[1])
    }
    assert named == FLOORS
