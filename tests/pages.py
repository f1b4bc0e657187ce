"""The README and the pages of docs/, parsed for their tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def section(page: str, title: str) -> str:
    """Return the text below a heading of a page, up to the next one of the second level."""
    text = (ROOT / page).read_text("utf-8")
    match = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"{page} has no section {title}"
    return match[1]


def table(page: str, title: str) -> list[list[str]]:
    """Return the cells of a section's first table, without its header."""
    lines = [line for line in section(page, title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def code(cell: str) -> str:
    """Return the text between the cell's backticks."""
    return cell.strip("`")


def headings(page: Path) -> list[tuple[int, str]]:
    """Return the page's headings below its title with their levels, 2 for the highest, in order."""
    found = re.findall(r"^(##+) (.+)$", without_code(page.read_text("utf-8")), re.MULTILINE)
    return [(len(marks), heading) for marks, heading in found]


def without_code(text: str) -> str:
    """Return a page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchor(heading: str) -> str:
    """Return the fragment of a heading's link, as GitHub generates it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@dataclass(frozen=True)
class Step:
    """A command of a tour and the documented response; … matches anything."""

    command: str
    response: str


def tour(page: str, title: str) -> list[Step]:
    """Return the steps of a tour."""
    blocks = re.findall(r"```console\n(.*?)```", section(page, title), re.DOTALL)
    steps = re.findall(r"^\$ (curl .*?[^\\])\n(.*?)(?=^\$ |\Z)", "".join(blocks), re.MULTILINE | re.DOTALL)
    return [Step(command.replace("\\\n", " "), response.strip()) for command, response in steps]
