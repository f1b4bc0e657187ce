"""The text of the repository avoids words that make it hard to read, and those that are left only become fewer.

When you remove one of these words, lower its limit. A limit never rises.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ["barcodesvc", "docs", "scripts", "sql", "tests"]
SUFFIXES = {".py", ".sql", ".js", ".md"}

LIMITS = {
    r"whoever": 1,
    r"nobody": 4,
    r"of its own": 4,
    r"beside": 7,
    r"stands": 5,
    r"is none": 21,
    r"so many \w+s": 0,
}
"""The expressions, and how often each may occur."""


@pytest.fixture(scope="module")
def written() -> str:
    """Return the text of all files but this one, with each line break and each `_` of a name as a space."""
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    texts = [path.read_text("utf-8") for path in [*files, *ROOT.glob("*.md")] if path != Path(__file__)]
    return "\n".join(" ".join(text.replace("_", " ").split()) for text in texts)


@pytest.mark.parametrize("words", LIMITS)
def test_a_hard_word_does_not_come_back(written: str, words: str) -> None:
    """An expression occurs at most as often as its limit says, at the beginning of a sentence or within it."""
    capital = words[0].upper() + words[1:]
    assert len(re.findall(rf"\b(?:{words}|{capital})\b", written)) <= LIMITS[words]
