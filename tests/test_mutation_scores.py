"""The table of scripts/mutate and the recorded scores: neither names what is not there."""

import json

import pytest

from scripts.mutate import ROOT, SAMPLE, SCORES, TESTS, losses

RECORDED = json.loads(SCORES.read_text("utf-8"))


def test_every_module_has_a_score() -> None:
    """The recorded modules are those of the table, sorted; if not, run scripts/mutate."""
    assert list(RECORDED) == sorted(TESTS)


@pytest.mark.parametrize("module", TESTS)
def test_a_module_and_its_tests_exist(module: str) -> None:
    """A module that is renamed and tests that are moved are so in the table too."""
    assert (ROOT / "barcodesvc" / f"{module}.py").is_file()
    assert [each for each in TESTS[module] if not (ROOT / "tests" / each).exists()] == []


@pytest.mark.parametrize("module", RECORDED)
def test_a_score_follows_from_its_figures(module: str) -> None:
    """No score is raised by hand."""
    found = RECORDED[module]
    assert found["killed"] <= found["mutants"] <= SAMPLE
    assert found["score"] == round(100 * found["killed"] / found["mutants"], 1)


def test_only_a_score_that_is_lower_fails() -> None:
    """One that is the same or higher is no loss; modules that were not tried are not compared."""
    recorded = {name: {"score": 50.0} for name in ("fallen", "same", "risen", "untried")}
    scores = {"fallen": {"score": 49.9}, "same": {"score": 50.0}, "risen": {"score": 50.1}}
    assert list(losses(scores, recorded)) == ["fallen: 49.9 %, 50.0 % before"]
