import resource

import pytest

from barcodesvc.api.server import DESCRIPTORS_KEPT_FREE, connections_possible

NONE = resource.RLIM_INFINITY
WANTED = 5000


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the soft and the hard limit that the system is made to have, to be filled in."""
    held: list[int] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(held))
    monkeypatch.setattr(resource, "setrlimit", lambda _, changed: held.__setitem__(slice(None), changed))
    return held


@pytest.mark.parametrize(
    ("before", "possible", "raised"),
    [
        ((1024, 100_000), WANTED, WANTED + DESCRIPTORS_KEPT_FREE),
        ((1024, NONE), WANTED, WANTED + DESCRIPTORS_KEPT_FREE),
        ((50_000, 100_000), WANTED, 50_000),
        ((NONE, NONE), WANTED, NONE),
        ((1024, 4096), 4096 - DESCRIPTORS_KEPT_FREE, 4096),
        ((100, 100), 50, 100),
        ((1, 1), 1, 1),
    ],
)
def test_the_limit_is_raised_as_far_as_it_may_be(
    limits: list[int], caplog: pytest.LogCaptureFixture, before: tuple[int, int], possible: int, raised: int
) -> None:
    """Connections leave enough file descriptors for other work; the log says so if more connections were wanted."""
    limits += before
    assert connections_possible(WANTED) == possible
    assert limits == [raised, before[1]]
    assert [record.levelname for record in caplog.records] == ["WARNING"] * (possible < WANTED)
