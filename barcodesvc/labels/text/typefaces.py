"""The typefaces that labels are set in where Helvetica does not suffice.

Five are carried by the package pymupdf-fonts, all under the SIL Open Font License: FiraGO (Latin, Greek, Cyrillic,
Hebrew, Arabic, Thai, Devanagari, Georgian), Noto Sans for the rest of Latin and Cyrillic, and three of symbols and
mathematics. A setting names another, which then comes first: East Asian writing needs one.

Rule: a face is opened once per process and never changed afterwards, so that threads may share it. A font that cannot
be read, or whose maker does not allow a part of it to be embedded, is refused when it is named, not when it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pymupdf_fonts
import uharfbuzz as hb

from barcodesvc.errors import StartError

_CARRIED = ("figo", "notos", "symbol1", "symbol2", "math")
_OUTLINES = ("glyf", "CFF ", "CFF2")
_NO_EMBEDDING = 0x0002
_NO_SUBSETTING = 0x0100
_BITMAPS_ONLY = 0x0200
_PERMISSIONS_AT = 8
"""Where fsType stands in the table OS/2 (ISO/IEC 14496-22 5.2.5)."""
_BOX_AT = 36
"""Where xMin stands in the table head (ISO/IEC 14496-22 5.2.2)."""
_GREATEST_FILE = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A font that has been read.

    `covered` are its code points, `units` those of its design in one size, `ascent` and `descent` parts of the size.
    Outlines that are not quadratic, as in TrueType, are cubic, in the Compact Font Format.
    """

    name: str
    face: hb.Face
    font: hb.Font
    covered: frozenset[int]
    units: int
    ascent: float
    descent: float
    has_quadratic_outlines: bool

    @property
    def bounding_box(self) -> tuple[int, ...]:
        """What holds every glyph: left, bottom, right and top in units of the design."""
        head = self.face.reference_table("head").data
        return tuple(int.from_bytes(head[at : at + 2], "big", signed=True) for at in range(_BOX_AT, _BOX_AT + 8, 2))

    @property
    def blank(self) -> int:
        """The number of the glyph of a blank."""
        return self.font.get_nominal_glyph(ord(" ")) or 0

    def advance(self, glyph: int) -> int:
        """Return the advance of a glyph as its font has it, before any kerning, in units of the design."""
        return self.font.get_glyph_h_advance(glyph)  # type: ignore[no-any-return]  # uharfbuzz ships no types


@cache
def carried_faces() -> tuple[Face, ...]:
    """Return the faces that every installation has, in the order in which they are asked for a character."""
    return tuple(_face(hb.Face(pymupdf_fonts.myfont(name))) for name in _CARRIED)


def open_face(path: Path) -> Face:
    """Read a .ttf, .otf or the first font of a .ttc; raises StartError where it cannot be used for labels."""
    try:
        if path.stat().st_size > _GREATEST_FILE:
            raise _refused(path, f"is larger than {_GREATEST_FILE // 1024 // 1024} MiB")
        content = path.read_bytes()
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror or error}") from error
    face = hb.Face(hb.Blob(content))
    if not face.glyph_count or not face.unicodes or not any(tag in face.table_tags for tag in _OUTLINES):
        raise _refused(path, "is no TrueType or OpenType font with outlines")
    if _permissions(face) & (_NO_EMBEDDING | _NO_SUBSETTING | _BITMAPS_ONLY):
        raise _refused(path, "does not permit to embed a part of it in documents (OS/2 fsType)")
    return _face(face)


@cache
def named_face(path: Path) -> Face:
    """Return the face that the settings name, opened once; raises StartError as `open_face` does."""
    return open_face(path)


def _face(face: hb.Face) -> Face:
    font = hb.Font(face)
    extents = font.get_font_extents("ltr")
    return Face(
        name=_name(face),
        face=face,
        font=font,
        covered=frozenset(face.unicodes),
        units=face.upem,
        ascent=extents.ascender / face.upem,
        descent=-extents.descender / face.upem,
        has_quadratic_outlines="glyf" in face.table_tags,
    )


def _name(face: hb.Face) -> str:
    """Return the PostScript name with nothing but what a PDF name holds unescaped."""
    name = face.get_name(hb.OTNameIdPredefined.POSTSCRIPT_NAME) or ""
    return "".join(letter for letter in name if letter.isascii() and (letter.isalnum() or letter in "-_")) or "Font"


def _permissions(face: hb.Face) -> int:
    table = face.reference_table("OS/2").data if "OS/2" in face.table_tags else b""
    return int.from_bytes(table[_PERMISSIONS_AT : _PERMISSIONS_AT + 2], "big")


def _refused(path: Path, reason: str) -> StartError:
    return StartError(f"BARCODESVC_LABEL_FONT: {path} {reason}; name a .ttf, .otf or .ttc file")
