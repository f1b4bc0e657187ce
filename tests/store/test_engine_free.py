"""Engine independence: neither scripts nor handlers know an engine, so that nothing hinders another one."""

import re
from pathlib import Path

from barcodesvc import store
from tests.sweeps import sweep

PACKAGE = Path(store.__file__).parents[1]
SCRIPTS = [file for file in (PACKAGE / "store").glob("*.py") if file.stem not in {"__init__", "engines"}]
HANDLERS = list((PACKAGE / "api" / "resources").glob("*.py"))


@sweep("file", sorted(SCRIPTS + HANDLERS))
def test_no_script_and_no_handler_names_an_engine(file: Path) -> None:
    """Neither code nor comments name a library, a dialect or its peculiarities."""
    assert re.findall(r"sqlite|postgres|pragma|json_each|fts5|rowid", file.read_text("utf-8"), re.IGNORECASE) == []


def test_the_path_of_a_change_names_files_that_are_there() -> None:
    """The package's docstring lists the files that a change of a level passes through, in order."""
    named = re.findall(r"^    (\S+\.py) ", store.__doc__ or "", re.MULTILINE)
    assert len(named) == 5
    assert [name for name in named if not (PACKAGE / name).is_file()] == []
