from __future__ import annotations

import pytest

from barcodesvc.errors import RenderOverload
from barcodesvc.runtime.arrivals import Arrivals


def test_room_is_taken_by_what_arrives_and_given_back() -> None:
    """What finds no room is refused by the kind of body that it is, and takes nothing of what there is."""
    arrivals = Arrivals(10, "large bodies")
    with arrivals.body() as take, arrivals.body() as take_too:
        take(6)
        take_too(4)
        with pytest.raises(RenderOverload, match="too many large bodies are arriving") as refusal:
            take(1)
        assert refusal.value.headers == {"Retry-After": "2"}
    assert arrivals.room == 10


def test_room_is_given_back_after_a_failure() -> None:
    """However a body ends, its room is free again."""
    arrivals = Arrivals(10, "images")
    body = arrivals.body()
    body.__enter__()(10)
    assert not body.__exit__(ConnectionError, ConnectionError(), None)
    assert arrivals.room == 10
