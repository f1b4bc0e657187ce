"""Texts in a BIFF stream (MS-XLS 2.5.240, 2.5.293, 2.5.294): UTF-16 or its low bytes in BIFF8, a code page before it.

A text may go on in CONTINUE records. Its characters then begin anew there with a byte that says how wide they are;
everything else simply goes on.
"""

from __future__ import annotations

from collections.abc import Iterator

from barcodesvc.spreadsheets.biff import cut_short

_WIDE = 0x01
_PHONETIC = 0x04
_RICH = 0x08
_RUN_BYTES = 4


class TextReader:
    """Reads one text after the other from pieces of a stream, each given as where it begins and ends.

    Raises InvalidFileFormat where the pieces end before a text does.
    """

    def __init__(self, stream: bytes, pieces: list[tuple[int, int]]) -> None:
        self._stream = stream
        self._pieces = iter(pieces)
        self._position, self._end = 0, 0
        self._next_piece()

    def number(self, size: int) -> int:
        """Return the unsigned number in the next bytes."""
        return int.from_bytes(self._take(size), "little")

    def skip(self, size: int) -> None:
        """Pass over bytes."""
        while size > self._end - self._position:
            size -= self._end - self._position
            self._next_piece()
        self._position += size

    def unicode_text(self, count_size: int) -> str:
        """Return a text of BIFF8, whose number of characters stands in front in `count_size` bytes."""
        count = self.number(count_size)
        options = self.number(1)
        behind = _RUN_BYTES * self.number(2) if options & _RICH else 0
        if options & _PHONETIC:
            behind += self.number(4)
        text = self._characters(count, options)
        self.skip(behind)
        return text

    def unicode_texts(self, count: int) -> Iterator[str]:
        """Yield so many texts of BIFF8 that stand one behind the other, each with two bytes for its length."""
        stream = self._stream
        for _ in range(count):
            start = self._position + 3
            if start <= self._end and not (options := stream[start - 1]) & ~_WIDE:
                end = start + ((stream[start - 3] | stream[start - 2] << 8) << options)
                if end <= self._end:
                    self._position = end
                    yield stream[start:end].decode("utf-16-le" if options else "latin-1", "replace")
                    continue
            yield self.unicode_text(2)

    def byte_text(self, count_size: int, encoding: str) -> str:
        """Return a text of BIFF5 in its code page; what the code page does not know is replaced."""
        return self._take(self.number(count_size)).decode(encoding, "replace")

    def _characters(self, count: int, options: int) -> str:
        text, missing = self._characters_here(count, options)
        if not missing:
            return text.decode("utf-16-le" if options & _WIDE else "latin-1", "replace")
        pieces = [_as_wide(text, options)]
        while missing:
            self._next_piece()
            options = self.number(1)
            text, missing = self._characters_here(missing, options)
            pieces.append(_as_wide(text, options))
        return b"".join(pieces).decode("utf-16-le", "replace")

    def _characters_here(self, count: int, options: int) -> tuple[bytes, int]:
        """Return the characters that stand in this piece, and how many are missing."""
        width = 2 if options & _WIDE else 1
        here = min(count, (self._end - self._position) // width)
        start = self._position
        self._position += here * width
        return self._stream[start : self._position], count - here

    def _take(self, size: int) -> bytes:
        start = self._position
        self._position += size
        if self._position <= self._end:
            return self._stream[start : self._position]
        taken = bytearray(self._stream[start : self._end])
        while len(taken) < size:
            self._next_piece()
            start = self._position
            self._position = min(self._end, start + size - len(taken))
            taken += self._stream[start : self._position]
        return bytes(taken)

    def _next_piece(self) -> None:
        piece = next(self._pieces, None)
        if piece is None or piece[1] > len(self._stream):
            raise cut_short()
        self._position, self._end = piece


def _as_wide(text: bytes, options: int) -> bytes:
    return text if options & _WIDE else text.decode("latin-1").encode("utf-16-le")
