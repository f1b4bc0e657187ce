"""Whether the areas of two codes on an image meet."""

from __future__ import annotations

from collections.abc import Iterator

from barcodesvc.scanning.codes_on_images import Corners


def meet(one: Corners, other: Corners) -> bool:
    """Return whether two convex areas have a point in common: no side of either has all of the other outside."""
    return not any(_are_apart(one, other, *normal) for normal in (*_normals(one), *_normals(other)))


def _normals(corners: Corners) -> Iterator[tuple[int, int]]:
    """Yield the directions across the sides and along them, as an area may be a mere line."""
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        across, down = end.x - start.x, end.y - start.y
        yield from ((-down, across), (across, down))


def _are_apart(one: Corners, other: Corners, x: int, y: int) -> bool:
    """Return whether the areas are apart, seen in a direction."""
    near, far = ([x * corner.x + y * corner.y for corner in corners] for corners in (one, other))
    return max(near) < min(far) or max(far) < min(near)
