"""A second engine finds nothing of the first one in its way: neither scripts nor handlers know it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from barcodesvc import store

PACKAGE = Path(store.__file__).parents[1]
SCRIPTS = [file for file in (PACKAGE / "store").glob("*.py") if file.stem not in {"__init__", "engines"}]
HANDLERS = list((PACKAGE / "api" / "resources").glob("*.py"))


@pytest.mark.parametrize("file", sorted(SCRIPTS + HANDLERS), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_no_script_and_no_handler_names_an_engine(file: Path) -> None:
    """Neither in code nor in words: no library, no dialect and none of its peculiarities."""
    assert re.findall(r"sqlite|postgres|pragma|json_each|fts5|rowid", file.read_text("utf-8"), re.IGNORECASE) == []


def test_the_path_of_a_change_names_files_that_are_there() -> None:
    """The head of the package shows which files a change of a level passes through, in their order."""
    named = re.findall(r"^    (\S+\.py) ", store.__doc__ or "", re.MULTILINE)
    assert len(named) == 6
    assert [name for name in named if not (PACKAGE / name).is_file()] == []
