"""The text of the repository avoids expressions that make it hard to read.

Each occurs exactly as often as its count says. The few that are left are right where they are: when you remove one,
lower the count. A count never rises.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = [".ci", "barcodesvc", "docs", "scripts", "sql", "tests"]
SUFFIXES = {".cfg", ".css", ".html", ".js", ".md", ".mjs", ".py", ".sql", ".svg", ".toml", ".ts", ".yaml"}
PROGRAMS = {"", ".cjs", ".conf", ".service"}
"""Suffixes of scripts and of examples; outside of the folders, files without a suffix are not ours, such as LICENSE."""
FETCHED = ROOT / "barcodesvc" / "page" / "library"

COUNTS = {
    r"whoever": 0,
    r"nobody": 2,
    r"of its own": 4,
    r"beside": 0,
    r"stands(?! for)": 0,
    r"(?<![Tt]here )is none": 0,
    r"so many \w+s": 0,
    r"(?:is|are|was|were|be) told(?! apart)": 0,
    r"all the same": 0,
    r"for ever": 0,
}
"""The expressions, and how often each occurs."""


@pytest.fixture(scope="module")
def written() -> str:
    """Return the text of all files but this one."""
    inside = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES | PROGRAMS]
    files = [path for path in [*inside, *ROOT.iterdir()] if path.is_file() and FETCHED not in path.parents]
    return "\n".join(
        plain(path.read_text("utf-8"))
        for path in files
        if path != Path(__file__) and (path.suffix in SUFFIXES or path.parent != ROOT)
    )


def plain(text: str) -> str:
    """Return a text in one line, without the marks of comments; each `_` of a name is a space."""
    return " ".join(re.sub(r"^\s*(?:#|//|--|\*)+", "", text, flags=re.MULTILINE).replace("_", " ").split())


@pytest.mark.parametrize("words", COUNTS)
def test_a_hard_expression_does_not_come_back(written: str, words: str) -> None:
    """An expression occurs exactly as often as it did, at the beginning of a sentence or within it."""
    assert len(occurrences(words, written)) == COUNTS[words]


@pytest.mark.parametrize(
    "text",
    ["Beside it.", "# it is\n    # told", "-- it is\n-- told", "/* it is\n * told", "def test_it_is_told_so()"],
)
def test_an_expression_is_found_wherever_it_is(text: str) -> None:
    """It is found in names, and broken over two lines of a comment too."""
    assert [words for words in COUNTS if occurrences(words, plain(text))]


def occurrences(words: str, text: str) -> list[str]:
    """Return the places of a text where an expression occurs."""
    return re.findall(rf"\b(?:{words}|{words.capitalize()})\b", text)
