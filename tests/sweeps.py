"""Sweeps: one test runs all cases of a table, and names every case that fails."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

Test = Callable[..., Any]


Table = Callable[[], list[dict[str, Any]]]
"""Returns the arguments of each case."""


def sweep(names: str | Sequence[str], cases: Iterable[Any] | Callable[[], Iterable[Any]]) -> Callable[[Test], Test]:
    """Run a test for each case, as pytest.mark.parametrize does, but as one test with one set of fixtures.

    A function that returns the cases is called by the test: what takes long does not delay every run of any test.

    It suits tests that leave nothing behind. Raises ExceptionGroup with the failures, each with its case as a note.
    """
    wanted = (names,) if isinstance(names, str) else tuple(names)
    given = cases if callable(cases) else list(cases)

    def table() -> list[dict[str, Any]]:
        found = given() if callable(given) else given
        rows = [dict(zip(wanted, case if len(wanted) > 1 else (case,), strict=True)) for case in found]
        assert rows, "a sweep without a case shows nothing"
        return rows

    if not callable(given):
        table()  # a mistake is an error of the module

    def decorate(test: Test) -> Test:
        swept = _async_sweep(test, table) if inspect.iscoroutinefunction(test) else _sweep(test, table)
        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in wanted]
        vars(swept)["__signature__"] = signature.replace(parameters=left)
        return swept

    return decorate


class _Failures:
    def __init__(self) -> None:
        self._found: list[Exception] = []

    def add(self, error: Exception, case: dict[str, Any]) -> None:
        error.add_note(f"case: {case!r:.2000}")
        self._found.append(error)

    def report(self, cases: int) -> None:
        if self._found:
            raise ExceptionGroup(f"{len(self._found)} of {cases} cases fail", self._found)


def _sweep(test: Test, table: Table) -> Test:
    @wraps(test)
    def swept(**fixtures: Any) -> None:
        failures = _Failures()
        rows = table()
        for case in rows:
            try:
                test(**fixtures, **case)
            except Exception as error:  # noqa: BLE001 - reported behind the last case
                failures.add(error, case)
        failures.report(len(rows))

    return swept


def _async_sweep(test: Test, table: Table) -> Test:
    @wraps(test)
    async def swept(**fixtures: Any) -> None:
        failures = _Failures()
        rows = table()
        for case in rows:
            try:
                await test(**fixtures, **case)
            except Exception as error:  # noqa: BLE001 - reported behind the last case
                failures.add(error, case)
        failures.report(len(rows))

    return swept
