"""A number as it was asked for, perhaps behind a prefix or with hyphens: what is wrong with it, and at which position.

Positions count characters from 1 in what was asked for, also those that are not part of the number. The position of a
wrong length is that of the first character too many, or the one behind the last where one is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from barcodesvc.errors import InvalidContent


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number and the name of the symbology that it is for, with which every refusal begins.

    ignored: characters of `content` that are not part of the number; offset: how many stood before `content`.
    """

    name: str
    content: str
    ignored: str = ""
    offset: int = 0

    @property
    def characters(self) -> str:
        """The number without what is ignored."""
        return "".join(self.content[index] for index in self._indexes())

    def position(self, index: int) -> int:
        """Return the position of the number's character `index`, or the one behind the last."""
        return self.offset + 1 + (*self._indexes(), len(self.content))[index]

    def require_digits(self) -> None:
        """Raise InvalidContent at the first character that is neither a digit 0-9 nor ignored."""
        for index in self._indexes():
            if not "0" <= self.content[index] <= "9":
                position = self.offset + index + 1
                raise InvalidContent(
                    f"{self.name}: character {self.content[index]!r} at position {position} is not a digit",
                    rule="alphabet",
                    position=position,
                    fits="digits 0-9",
                )

    def require_length(self, lengths: tuple[int, ...], holds: str, fits: str) -> None:
        """Raise InvalidContent, which says what the symbology holds, unless the number has one of these lengths."""
        count = len(self.characters)
        if count in lengths:
            return
        kept = max((length for length in lengths if length < count), default=count)
        position = self.position(kept)
        what = "the next is missing" if kept == count else "the first too many is"
        raise InvalidContent(
            f"{self.name}: {count} digits, {what} at position {position}; it holds {holds}",
            rule="length",
            position=position,
            fits=fits,
        )

    def _indexes(self) -> Iterator[int]:
        return (index for index, character in enumerate(self.content) if character not in self.ignored)
