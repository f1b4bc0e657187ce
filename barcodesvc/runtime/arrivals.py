"""Room for bodies that are arriving: it is taken by what has arrived of them, not by what is announced.

So a connection that announces much and sends nothing keeps nobody out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from barcodesvc.errors import RenderOverload

_RETRY_AFTER = {"Retry-After": "2"}


@dataclass(slots=True)
class Arrivals:
    """The bytes that bodies of one kind, such as `images`, may still have together."""

    room: int
    kind: str

    @contextmanager
    def body(self) -> Iterator[Callable[[int], None]]:
        """Yield what takes room for so many more bytes of a body, as long as the block lasts.

        It raises RenderOverload where there is no room for them.
        """
        taken = 0

        def take(size: int) -> None:
            nonlocal taken
            if size > self.room:
                raise RenderOverload(f"too many {self.kind} are arriving; try again in a moment", headers=_RETRY_AFTER)
            self.room -= size
            taken += size

        try:
            yield take
        finally:
            self.room += taken
