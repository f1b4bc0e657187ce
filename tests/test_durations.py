import pytest

from tests.durations import summary


def report(case: str, when: str, seconds: float, outcome: str = "passed") -> pytest.TestReport:
    """Return the report of one phase of a case."""
    return pytest.TestReport(case, (case, 0, case), {}, outcome, None, when, duration=seconds)  # type: ignore[arg-type]


def test_the_time_of_all_phases_counts_for_the_folder_of_a_case() -> None:
    """Setup and teardown count too, but for skipped cases; the slowest folder comes first, then the slowest cases."""
    reports = [
        report("tests/a/test_x.py::test_1[2]", "setup", 1.0),
        report("tests/a/test_x.py::test_1[2]", "call", 0.5),
        report("tests/b/c/test_y.py::test_2", "call", 4.0),
        report("tests/a/test_x.py::test_3", "call", 1.0),
        report("tests/a/test_x.py::test_4", "setup", 0.1, "skipped"),
        report("tests/a/test_x.py::test_4", "teardown", 0.1),
    ]
    assert list(summary(reports)) == [
        "     4.0 s      1 cases  tests/b/c",
        "     2.5 s      2 cases  tests/a",
        "     4.0 s  tests/b/c/test_y.py::test_2",
        "     1.5 s  tests/a/test_x.py::test_1[2]",
        "     1.0 s  tests/a/test_x.py::test_3",
    ]
