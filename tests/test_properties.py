"""A brief run draws a fifth of a property's examples, and never fewer than five; it takes larger steps in tables."""

import pytest

from tests.properties import Extent, choose, every, examples
from tests.sweeps import sweep


@sweep(("extent", "full", "drawn"), [("BRIEF", 100, 20), ("BRIEF", 12, 5), ("BRIEF", 2, 2), ("FULL", 100, 100)])
def test_the_number_follows_from_the_extent(pytestconfig: pytest.Config, extent: str, full: int, drawn: int) -> None:
    """The number in a test is that of a full run."""
    choose(Extent[extent])
    assert (examples(full).max_examples, every(8)) == (drawn, {"BRIEF": 32, "FULL": 8}[extent])
    choose(Extent[pytestconfig.getoption("extent").upper()])
