"""The typefaces of all text on labels, and subsets of them to embed in documents.

Six are bundled in the package pymupdf-fonts, all under the SIL Open Font License: FiraGO (Latin, Greek, Cyrillic,
Hebrew, Arabic, Thai, Devanagari, Georgian), also in bold, Noto Sans for the rest of Latin and Cyrillic, and three of
symbols and mathematics. A setting can name another one, which then takes precedence: East Asian writing needs one.
Product codes are always in FiraGO, the plain face.

Rule: a face is opened once per process and never changed, so that threads may share it. A font that cannot be read, or
whose maker does not permit subsets to be embedded, is refused at the start, not when it is used.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import pymupdf_fonts
import uharfbuzz as hb

from barcodesvc.errors import StartError

_BOLD = "figbo"
_PLAIN, *_OTHERS = ("figo", "notos", "symbol1", "symbol2", "math")
_OUTLINES = ("glyf", "CFF ", "CFF2")
_NO_EMBEDDING = 0x0002
_NO_SUBSETTING = 0x0100
_BITMAPS_ONLY = 0x0200
_PERMISSIONS_AT = 8
"""The offset of fsType in the table OS/2 (ISO/IEC 14496-22 5.2.5)."""
_BOX_AT = 36
"""The offset of xMin in the table head (ISO/IEC 14496-22 5.2.2)."""
_GREATEST_FILE = 128 * 1024 * 1024

_DROPPED = ("GSUB", "GPOS", "GDEF", "BASE", "JSTF", "name", "OS/2", "post", "cmap", "vhea", "vmtx", "VORG", "DSIG")
"""Tables that are only needed to shape or name text, not in a document that has been laid out."""
_SUBSET_FLAGS = (
    hb.SubsetFlags.NO_HINTING
    | hb.SubsetFlags.NO_LAYOUT_CLOSURE
    | hb.SubsetFlags.NO_BIDI_CLOSURE
    | hb.SubsetFlags.DOWNGRADE_CFF2
    | hb.SubsetFlags.CFF_IDENTITY_CHARSET
    | hb.SubsetFlags.RETAIN_GIDS
)


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A font that has been read.

    `covered` contains its code points, `units` is the size in units of its design, `ascent` and `descent` are fractions
    of the size. Outlines are either quadratic, as in TrueType, or cubic, in the Compact Font Format.
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
        """The bounding box of all glyphs: left, bottom, right and top in units of the design."""
        head = self.face.reference_table("head").data
        return tuple(int.from_bytes(head[at : at + 2], "big", signed=True) for at in range(_BOX_AT, _BOX_AT + 8, 2))

    def advance(self, glyph: int) -> int:
        """Return the advance of a glyph without kerning, in units of the design."""
        return self.font.get_glyph_h_advance(glyph)  # type: ignore[no-any-return]  # uharfbuzz ships no types

    def nominal(self, character: str) -> int:
        """Return the glyph of a character without shaping, 0 if the face lacks it."""
        return self.font.get_nominal_glyph(ord(character)) or 0

    def ink(self, glyph: int) -> tuple[int, int, int, int]:
        """Return the extents of a glyph from its origin: left, right, top and bottom, in units of the design."""
        return _ink(self, glyph)


@lru_cache(16384)
def _ink(face: Face, glyph: int) -> tuple[int, int, int, int]:
    extents = face.font.get_glyph_extents(glyph)
    if extents is None:
        return 0, 0, 0, 0
    left, top = extents.x_bearing, extents.y_bearing
    return left, left + extents.width, top, top + extents.height


@cache
def plain_face() -> Face:
    """Return the face of product codes, which is also the first of the bundled ones."""
    return _bundled(_PLAIN)


@cache
def bold_face() -> Face:
    """Return the bold face, which comes before all others in texts that are bold."""
    return _bundled(_BOLD)


@cache
def bundled_faces() -> tuple[Face, ...]:
    """Return the faces of every installation, in order of precedence."""
    return (plain_face(), *map(_bundled, _OTHERS))


def open_face(path: Path) -> Face:
    """Read a .ttf, .otf or the first font of a .ttc; raises StartError if it cannot be used for labels."""
    try:
        if path.stat().st_size > _GREATEST_FILE:
            raise _refused(path, f"is larger than {_GREATEST_FILE // 1024 // 1024} MiB")
        content = path.read_bytes()
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror or error}") from error
    face = hb.Face(hb.Blob(content))
    if not face.glyph_count or not face.unicodes or not any(tag in face.table_tags for tag in _OUTLINES):
        raise _refused(path, "is not a TrueType or OpenType font with outlines")
    if _permissions(face) & (_NO_EMBEDDING | _NO_SUBSETTING | _BITMAPS_ONLY):
        raise _refused(path, "does not permit subsets to be embedded in documents (OS/2 fsType)")
    return _face(face)


@cache
def named_face(path: Path) -> Face:
    """Return the face that the settings name, opened once; raises what `open_face` raises."""
    return open_face(path)


def font_program(face: Face, glyphs: AbstractSet[int]) -> bytes:
    """Return a font file with these glyphs of a face alone, or its table of outlines in the Compact Font Format.

    Glyphs keep their numbers, and the same glyphs give the same bytes. Axes of a variable font are pinned to their
    defaults.
    """
    selection = hb.SubsetInput()
    selection.glyph_set.update(glyphs)
    selection.drop_table_tag_set.update(int.from_bytes(tag.encode(), "big") for tag in _DROPPED)
    selection.flags = _SUBSET_FLAGS
    if face.face.has_var_data:
        selection.pin_all_axes_to_default(face.face)
    part = hb.SubsetPlan(face.face, selection).execute()
    return bytes(part.blob.data if face.has_quadratic_outlines else part.reference_table("CFF ").data)


def _bundled(name: str) -> Face:
    return _face(hb.Face(pymupdf_fonts.myfont(name)))


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
    """Return the PostScript name, limited to characters that a PDF name contains without escapes."""
    name = face.get_name(hb.OTNameIdPredefined.POSTSCRIPT_NAME) or ""
    return "".join(letter for letter in name if letter.isascii() and (letter.isalnum() or letter in "-_")) or "Font"


def _permissions(face: hb.Face) -> int:
    table = face.reference_table("OS/2").data if "OS/2" in face.table_tags else b""
    return int.from_bytes(table[_PERMISSIONS_AT : _PERMISSIONS_AT + 2], "big")


def _refused(path: Path, reason: str) -> StartError:
    return StartError(f"BARCODESVC_LABEL_FONT: {path} {reason}; name a .ttf, .otf or .ttc file")
