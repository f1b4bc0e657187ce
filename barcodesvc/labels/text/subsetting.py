"""Font subsetting: a file of its own for the glyphs of a typeface that a document uses, which travels with it.

Rule: the same glyphs give the same bytes. Axes of variable fonts are pinned to their defaults.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import uharfbuzz as hb

from barcodesvc.labels.text.typefaces import Face

_DROPPED = ("GSUB", "GPOS", "GDEF", "BASE", "JSTF", "name", "OS/2", "post", "cmap", "vhea", "vmtx", "VORG", "DSIG")
"""What only those need who shape or name text, and no document that has been laid out."""
_FLAGS = (
    hb.SubsetFlags.NO_HINTING
    | hb.SubsetFlags.NO_LAYOUT_CLOSURE
    | hb.SubsetFlags.NO_BIDI_CLOSURE
    | hb.SubsetFlags.DOWNGRADE_CFF2
    | hb.SubsetFlags.CFF_IDENTITY_CHARSET
)


@dataclass(frozen=True, slots=True)
class Subset:
    """A face with some of its glyphs, in a file of its own; `numbers` says which number each glyph has there."""

    file: bytes
    numbers: dict[int, int]

    @property
    def outlines(self) -> bytes:
        """The table of outlines in the Compact Font Format."""
        return bytes(hb.Face(self.file).reference_table("CFF ").data)


def subset(face: Face, glyphs: AbstractSet[int]) -> Subset:
    """Return the part of a face that holds these glyphs."""
    wanted = hb.SubsetInput()
    wanted.glyph_set.update(glyphs)
    wanted.drop_table_tag_set.update(int.from_bytes(tag.encode(), "big") for tag in _DROPPED)
    wanted.flags = _FLAGS
    if face.face.has_var_data:
        wanted.pin_all_axes_to_default(face.face)
    plan = hb.SubsetPlan(face.face, wanted)
    numbers = plan.old_to_new_glyph_mapping
    return Subset(bytes(plan.execute().blob.data), {glyph: numbers[glyph] for glyph in glyphs})
