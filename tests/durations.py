"""Where the time of a run goes: seconds and cases by folder of tests/, and the slowest cases, printed at its end."""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import chain

import pytest

SLOWEST = 20


def summary(reports: Collection[pytest.TestReport]) -> Iterator[str]:
    """Yield the lines for the reports of all phases of all cases; seconds are those of the processes together.

    A case that is skipped counts nothing.
    """
    seconds: Counter[str] = Counter()
    skipped = {report.nodeid for report in reports if report.skipped}
    for report in reports:
        if report.nodeid not in skipped:
            seconds[report.nodeid] += report.duration  # type: ignore[assignment]  # seconds count in fractions
    cases, spent = Counter(map(_folder, seconds)), Counter[str]()
    for case, duration in seconds.items():
        spent[_folder(case)] += duration
    yield from (f"{spent[folder]:8.1f} s {cases[folder]:6} cases  {folder}" for folder, _ in spent.most_common())
    yield from (f"{duration:8.1f} s  {case}" for case, duration in seconds.most_common(SLOWEST))


def _folder(case: str) -> str:
    return case.partition("::")[0].rpartition("/")[0]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the summary."""
    reports = [each for each in chain(*terminalreporter.stats.values()) if isinstance(each, pytest.TestReport)]
    terminalreporter.section("time by folder, and the slowest cases")
    for line in summary(reports):
        terminalreporter.write_line(line)
