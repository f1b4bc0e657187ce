"""Drawn scenes with several codes: none is read as another text, and none is listed twice."""

import pytest

from barcodesvc.scanning.images.codes import EffortName
from tests.properties import every
from tests.scanning.pictures.scenes import SCENES, false_texts, scene

EVERY = {"quick": 10, "normal": 20, "thorough": 80}
"""Which of the scenes a full run reads."""


@pytest.mark.parametrize("effort", EVERY)
def test_nothing_is_wrong_or_twice(effort: EffortName) -> None:
    """Whatever is behind the codes, and however many there are."""
    seeds = range(0, SCENES, every(EVERY[effort]))
    assert [(seed, found) for seed in seeds if (found := false_texts(scene(seed), effort))] == []
