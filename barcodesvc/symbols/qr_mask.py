"""Mask selection for QR codes: of eight masks, the one with the least penalty (ISO/IEC 18004 7.8.3), as segno selects.

segno scores the eight candidates module by module, which takes most of its time for a code. Here a symbol is one
integer along its rows and another along its columns, with a bit for each module and four light ones between two lines.
A penalty is then a few shifts and a count of bits, which is much faster.

Candidates are scored without format and version information, which are written after the mask is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import segno

MASKS = range(8)
_BETWEEN = 4
"""Light modules between two lines and before the first, as many as a finder-like pattern has next to it."""
_LIGHT = "0" * _BETWEEN
_FINDER_LIKE = "1011101"
_VERSION_INFORMATION_FROM = 7
_INVERSIONS_CACHED = 128
"""Differences between masks that are cached, of at most 31 kB each."""
_DIGITS = bytes.maketrans(b"\0\1", b"01")


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The same for all symbols of a version; integers as in the head of this module, along rows and along columns.

    scored: all modules except format and version information; flips: the modules in which each mask differs from mask
    0; inner: modules with a neighbour before them in their line; below: modules with a neighbour in the line before.
    """

    size: int
    scored: tuple[int, int]
    flips: tuple[tuple[int, int], ...]
    inner: int
    below: int


def best_mask(code: segno.QRCode) -> int:
    """Return the first mask of least penalty for a code with mask 0."""
    symbols = _candidates(code.version)
    rows, columns = (
        whole & scored for whole, scored in zip(_by_rows_and_columns(code.matrix), symbols.scored, strict=True)
    )
    penalties = [
        _penalty(rows ^ flipped_rows, columns ^ flipped_columns, symbols)
        for flipped_rows, flipped_columns in symbols.flips
    ]
    return penalties.index(min(penalties))


def masked(code: segno.QRCode, mask: int) -> tuple[bytes, ...]:
    """Return the rows of a code with mask 0 under another mask, one byte for each module.

    A mask inverts the same modules of all symbols, and the modules of the format information that identify the mask.
    """
    rows = [bytes(row) for row in code.matrix]
    if not mask:
        return tuple(rows)
    size = len(rows)
    whole = int.from_bytes(b"".join(rows)) ^ _inverted(code.version, code.error, mask)
    modules = whole.to_bytes(size * size)
    return tuple(modules[start : start + size] for start in range(0, len(modules), size))


@lru_cache(maxsize=_INVERSIONS_CACHED)
def _inverted(version: int, error: str, mask: int) -> int:
    """Return the modules in which a mask differs from mask 0, one byte for each, for a version and level."""
    import segno  # noqa: PLC0415 - loaded at its first use

    zero, other = (
        int.from_bytes(b"".join(segno.make_qr("1", version=version, error=error, boost_error=False, mask=each).matrix))
        for each in (0, mask)
    )
    return zero ^ other


@lru_cache(maxsize=40)
def _candidates(version: int) -> _Candidates:
    import segno  # noqa: PLC0415 - as above

    made = [segno.make_qr("1", version=version, error="L", boost_error=False, mask=mask) for mask in MASKS]
    size = len(made[0].matrix)
    scored = _by_rows_and_columns(_without_information(size, version))
    drawn = [_by_rows_and_columns(code.matrix) for code in made]
    flips = tuple(((rows ^ drawn[0][0]) & scored[0], (columns ^ drawn[0][1]) & scored[1]) for rows, columns in drawn)
    dark, light = b"\1" * size, bytes(size)
    inner = _integer([b"\0" + dark[1:]] * size)
    return _Candidates(size, scored, flips, inner, _integer([light, *[dark] * (size - 1)]))


def _without_information(size: int, version: int) -> list[bytes]:
    """Return a grid that is light at format and version information and the dark module (7.9, 7.10)."""
    grid = [bytearray(b"\1" * size) for _ in range(size)]
    for row, column in _information(size, version):
        grid[row][column] = grid[column][row] = 0
    return [bytes(row) for row in grid]


def _information(size: int, version: int) -> Iterator[tuple[int, int]]:
    """Yield the modules of one half; the other half is the mirror image along the diagonal."""
    yield from ((8, column) for column in (*range(6), 7, 8, *range(size - 8, size)))
    if version >= _VERSION_INFORMATION_FROM:
        yield from ((row, column) for row in range(6) for column in range(size - 11, size - 8))


def _by_rows_and_columns(grid: Sequence[bytes | bytearray]) -> tuple[int, int]:
    return _integer(grid), _integer([bytes(column) for column in zip(*grid, strict=True)])


def _integer(lines: Sequence[bytes | bytearray]) -> int:
    return int(b"".join(bytes(line) + bytes(_BETWEEN) for line in lines).translate(_DIGITS), 2)


def _penalty(rows: int, columns: int, symbols: _Candidates) -> int:
    pitch = symbols.size + _BETWEEN
    alike, runs = _runs(rows, symbols.inner)
    _, column_runs = _runs(columns, symbols.inner)
    blocks = alike & (alike >> pitch) & ~(rows ^ (rows >> pitch)) & symbols.below
    digits = symbols.size * pitch + _BETWEEN
    finders = _finder_like(f"{rows:0{digits}b}") + _finder_like(f"{columns:0{digits}b}")
    share = rows.bit_count() * 100 / symbols.size**2
    return runs + column_runs + 3 * blocks.bit_count() + 40 * finders + 10 * int(abs(share - 50) / 5)


def _runs(lines: int, inner: int) -> tuple[int, int]:
    """Return the modules equal to the one before them, and the penalty N1 of runs of five and more."""
    alike = ~(lines ^ (lines >> 1)) & inner
    pairs = alike & (alike >> 1)
    fives = pairs & (pairs >> 2)
    return alike, fives.bit_count() + 2 * (fives & ~(fives << 1)).bit_count()


def _finder_like(lines: str) -> int:
    """Return how many patterns 1:1:3:1:1 have four light modules before or after them (N3)."""
    count, at = 0, lines.find(_FINDER_LIKE)
    while at >= 0:
        counts = lines[at - _BETWEEN : at] == _LIGHT or lines[at + 7 : at + 7 + _BETWEEN] == _LIGHT
        count += counts
        at = lines.find(_FINDER_LIKE, at + (7 if counts else 4))
    return count
