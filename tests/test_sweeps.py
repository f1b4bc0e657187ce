"""A sweep runs every case, and reports all that fail by their values."""

import inspect

import pytest

from tests.sweeps import sweep


def test_every_case_runs_and_every_failure_is_named() -> None:
    """A failure does not end the sweep."""
    ran: list[int] = []

    @sweep("number", range(5))
    def check(number: int) -> None:
        ran.append(number)
        assert number % 2 == 0

    with pytest.raises(ExceptionGroup, match="2 of 5 cases fail") as raised:
        check()
    assert ran == [0, 1, 2, 3, 4]
    assert [error.__notes__ for error in raised.value.exceptions] == [["case: {'number': 1}"], ["case: {'number': 3}"]]


async def test_a_coroutine_is_swept_alike() -> None:
    """Fixtures stay arguments, and cases of two sweeps are combined."""
    ran: list[tuple[int, str, str]] = []

    @sweep("letter", "ab")
    @sweep(("number", "fits"), [(1, True), (2, False)])
    async def check(tmp: str, number: int, letter: str, fits: bool) -> None:  # noqa: FBT001 - a test's argument
        ran.append((number, letter, tmp))
        assert fits

    assert list(inspect.signature(check).parameters) == ["tmp"]
    with pytest.raises(ExceptionGroup, match="2 of 2 cases fail"):
        await check(tmp="x")
    assert ran == [(1, "a", "x"), (2, "a", "x"), (1, "b", "x"), (2, "b", "x")]
