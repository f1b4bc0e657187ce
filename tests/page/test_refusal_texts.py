"""What the page says about a refusal: it has its own text for each reason, in each language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import barcodesvc
from barcodesvc.errors import Reason

PAGE = Path(barcodesvc.__file__).parent / "page"
LANGUAGES = PAGE / "languages"
TEXT = re.compile(r"'refused\.(\w+)[\w.]*':\s+'(.+)',")


@pytest.mark.parametrize("language", [file.stem for file in sorted(LANGUAGES.iterdir())])
def test_every_reason_has_its_own_text(language: str) -> None:
    """The reasons are a closed list, and no text is that of another reason."""
    folders = (LANGUAGES, PAGE / "further-texts")
    found = [pair for folder in folders for pair in TEXT.findall((folder / f"{language}.js").read_text("utf-8"))]
    assert {reason for reason, _ in found} == set(Reason)
    assert len({text for _, text in found}) == len(found)
