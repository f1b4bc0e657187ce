"""Sweeps: one test runs all cases of a table, and names every case that fails."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

Test = Callable[..., Any]


def sweep(names: str | Sequence[str], cases: Iterable[Any] | Callable[[], Iterable[Any]]) -> Callable[[Test], Test]:
    """Run a test for each case, as pytest.mark.parametrize does, but as one test with one set of fixtures.

    A function that returns the cases is called by the test: what takes long does not delay every run of any test.

    It suits tests that leave nothing behind. Raises ExceptionGroup with the failures, each with its case as a note.
    """
    wanted = (names,) if isinstance(names, str) else tuple(names)
    given = cases if callable(cases) else list(cases)

    def table() -> list[dict[str, Any]]:
        """Return the arguments of each case."""
        found = given() if callable(given) else given
        rows = [dict(zip(wanted, case if len(wanted) > 1 else (case,), strict=True)) for case in found]
        assert rows, "a sweep without a case shows nothing"
        return rows

    if not callable(given):
        table()  # a mistake is an error of the module

    def decorate(test: Test) -> Test:
        @wraps(test)
        def swept(**fixtures: Any) -> None:
            with _reported() as failures:
                for case in table():
                    with _noted(case, failures):
                        test(**fixtures, **case)

        @wraps(test)
        async def awaited(**fixtures: Any) -> None:
            with _reported() as failures:
                for case in table():
                    with _noted(case, failures):
                        await test(**fixtures, **case)

        made = awaited if inspect.iscoroutinefunction(test) else swept
        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in wanted]
        vars(made)["__signature__"] = signature.replace(parameters=left)
        return made

    return decorate


@contextmanager
def _reported() -> Iterator[list[Exception]]:
    failures: list[Exception] = []
    yield failures
    if failures:
        raise ExceptionGroup(f"failed cases: {len(failures)}", failures)


@contextmanager
def _noted(case: dict[str, Any], failures: list[Exception]) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - reported behind the last case
        error.add_note(f"case: {case!r:.2000}")
        failures.append(error)
