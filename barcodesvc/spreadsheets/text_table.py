"""A table of texts, the later ones on disk: cells of a workbook refer to it by number, in bounded memory.

The first texts are kept as they are, up to a bound in bytes. The others lie in UTF-8 one behind the other in a
temporary file without a name, and cost eight bytes each in memory.
"""

from __future__ import annotations

import os
from array import array
from tempfile import TemporaryFile
from typing import IO

IN_MEMORY = 8 << 20
"""Bytes that texts may take in memory, before the following ones go to disk."""

AT_ONCE = 1 << 20
"""Bytes of texts that wait to be written at once."""
_STRING_BYTES = 64
_WIDEST_CHARACTER = 4


class TextTable:
    """Texts by number, in the order in which they were added; to be closed."""

    def __init__(self) -> None:
        self._near: list[str] = []
        self._room = IN_MEMORY
        self._ends = array("Q", [0])
        self._waiting = bytearray()
        self._written = 0
        self._file: IO[bytes] | None = None

    def __len__(self) -> int:
        return len(self._near) + len(self._ends) - 1

    def append(self, text: str) -> None:
        """Add a text behind the others."""
        if self._room > 0:
            self._near.append(text)
            self._room -= _STRING_BYTES + (len(text) if text.isascii() else _WIDEST_CHARACTER * len(text))
            return
        self._waiting += text.encode("utf-8", "surrogatepass")
        self._ends.append(self._written + len(self._waiting))
        if len(self._waiting) >= AT_ONCE:
            self._write()

    def __getitem__(self, number: int) -> str:
        """Return a text, numbers counting from 0; raises IndexError where there is none of this number."""
        near = self._near
        if number < len(near):
            return near[number]
        far = number - len(near)
        start, end = self._ends[far], self._ends[far + 1]
        if self._file is not None and start < self._written:
            return os.pread(self._file.fileno(), end - start, start).decode("utf-8", "surrogatepass")
        return self._waiting[start - self._written : end - self._written].decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Let go of the temporary file."""
        if self._file is not None:
            self._file.close()

    def _write(self) -> None:
        if self._file is None:
            self._file = TemporaryFile(prefix="barcodesvc-texts-")  # noqa: SIM115 - `close` ends it
        self._file.write(self._waiting)
        self._file.flush()
        self._written += len(self._waiting)
        self._waiting = bytearray()
