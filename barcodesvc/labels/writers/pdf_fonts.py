"""Subsets of typefaces as PDF fonts (ISO 32000-1 9.7): composite, two bytes a character, embedded.

A document carries of each face the glyphs that it uses. Every use of a glyph is a character of its own in the font
(CID), so that one glyph can stand for different texts: a map leads from the characters to the glyphs of a TrueType
face. In the Compact Font Format the character is the glyph, and stands for the text of its first use.

Rule: the same uses in the same order give the same bytes. The tag before a subset's name is drawn from its content
(9.6.4).
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import uharfbuzz as hb
from borb.pdf.primitives import name, stream

from barcodesvc.labels.text.shaping import GlyphLine, GlyphRun, GlyphUse
from barcodesvc.labels.text.typefaces import Face

_DROPPED = ("GSUB", "GPOS", "GDEF", "BASE", "JSTF", "name", "OS/2", "post", "cmap", "vhea", "vmtx", "VORG", "DSIG")
"""What only those need who shape or name text; a PDF has no use for it (9.9, table 126)."""
_FLAGS = (
    hb.SubsetFlags.NO_HINTING
    | hb.SubsetFlags.NO_LAYOUT_CLOSURE
    | hb.SubsetFlags.NO_BIDI_CLOSURE
    | hb.SubsetFlags.DOWNGRADE_CFF2
    | hb.SubsetFlags.CFF_IDENTITY_CHARSET
)
_SYMBOLIC = 4
_STEM = 80
"""The thickness of stems, which no font file tells and only replacements of the font would use."""
_MOST_MAPPINGS = 100
"""Mappings in one section of a CMap (Adobe Technical Note 5014)."""
_BOX_AT = 36
"""Where xMin stands in the table head (ISO/IEC 14496-22 5.2.2)."""


@dataclass(frozen=True, slots=True)
class EmbeddedFont:
    """A subset of one face: its PDF objects, and the character of each use as it stands in a string of the page."""

    resource: str
    font: dict[name, Any]
    codes: dict[int, bytes]

    def objects(self) -> list[Any]:
        """Return the objects that are written for themselves, the font first."""
        (descendant,) = self.font["DescendantFonts"]
        descriptor = descendant["FontDescriptor"]
        streams = (descendant.get("CIDToGIDMap"), descriptor.get("FontFile2"), descriptor.get("FontFile3"))
        parts = [self.font, descendant, descriptor, self.font["ToUnicode"], *streams]
        return [part for part in parts if part is not None]


@dataclass(frozen=True, slots=True)
class EmbeddedFonts:
    """The fonts of a document's lines, one for each face."""

    by_face: dict[Face, EmbeddedFont]

    def show(self, line: GlyphLine, size: float, left: float, baseline: float) -> bytes:
        """Return the operators that show a line, lengths in the unit of the page."""
        shown = b"".join(self._run(run, size, left + run.left * size, baseline) for run in line.runs)
        if not line.spoken:
            return shown
        return b"/Span <</ActualText <FEFF%b>>> BDC\n%bEMC\n" % (_utf16(line.spoken), shown)

    def _run(self, run: GlyphRun, size: float, left: float, baseline: float) -> bytes:
        font = self.by_face[run.face]
        thousandths = 1000 / run.face.units
        parts, rise = [b"["], 0
        for at in range(0, len(run.placed), 3):
            use, shift, height = run.placed[at : at + 3]
            if height != rise:
                parts.append(b"] TJ %.2f Ts [" % (height / run.face.units * size))
                rise = height
            if shift:
                parts.append(b"%d" % round(-shift * thousandths))
            parts.append(font.codes[use])
        parts.append(b"] TJ" + b" 0 Ts" * (rise != 0))
        text = b"".join(parts).replace(b"><", b"")
        return b"BT /%b %.2f Tf %.2f %.2f Td %b ET\n" % (font.resource.encode(), size, left, baseline, text)


def embed(lines: Iterable[GlyphLine], uses: Sequence[GlyphUse]) -> EmbeddedFonts:
    """Make the fonts of all lines of a document; `uses` are those that the lines have numbers of."""
    by_face: dict[Face, dict[int, None]] = {}
    for line in lines:
        for run in line.runs:
            by_face.setdefault(run.face, {}).update(dict.fromkeys(run.placed[::3]))
    return EmbeddedFonts(
        {
            face: _embedded(face, f"U{number}", {use: uses[use] for use in used})
            for number, (face, used) in enumerate(by_face.items(), start=1)
        }
    )


def _embedded(face: Face, resource: str, uses: dict[int, GlyphUse]) -> EmbeddedFont:
    subset, glyphs = _subset(face, {use.glyph for use in uses.values()})
    characters = _characters(face, uses, glyphs)
    shown: dict[int, GlyphUse] = {}
    for number, character in characters.items():
        shown.setdefault(character, uses[number])
    font = _font(face, subset, shown, glyphs)
    return EmbeddedFont(resource, font, {number: b"<%04X>" % each for number, each in characters.items()})


def _subset(face: Face, glyphs: set[int]) -> tuple[hb.Face, dict[int, int]]:
    """Return the face with these glyphs alone, and where each of them is now."""
    wanted = hb.SubsetInput()
    wanted.glyph_set.update(glyphs)
    wanted.drop_table_tag_set.update(int.from_bytes(tag.encode(), "big") for tag in _DROPPED)
    wanted.flags = _FLAGS
    if face.face.has_var_data:
        wanted.pin_all_axes_to_default(face.face)
    plan = hb.SubsetPlan(face.face, wanted)
    places = plan.old_to_new_glyph_mapping
    return plan.execute(), {glyph: places[glyph] for glyph in glyphs}


def _characters(face: Face, uses: dict[int, GlyphUse], glyphs: dict[int, int]) -> dict[int, int]:
    if not face.has_quadratic_outlines:
        return {number: glyphs[use.glyph] for number, use in uses.items()}
    return {number: character for character, number in enumerate(uses, start=1)}


def _font(face: Face, subset: hb.Face, shown: dict[int, GlyphUse], glyphs: dict[int, int]) -> dict[name, Any]:
    """Return the composite font (9.7.6); `shown` has the use that each character is."""
    characters = sorted(shown)
    mapping = b"".join(glyphs[shown[each].glyph].to_bytes(2, "big") for each in characters)
    kind, key, program = _program(face, subset)
    title = name(f"{_tag(program + mapping)}+{face.name}")
    descendant = {
        name("Type"): name("Font"),
        name("Subtype"): name(kind),
        name("BaseFont"): title,
        name("CIDSystemInfo"): {
            name("Registry"): "Adobe",
            name("Ordering"): "Identity",
            name("Supplement"): 0,
        },
        name("FontDescriptor"): _descriptor(face, title, key, program),
        name("W"): [part for each in characters for part in (each, [_thousandths(face, shown[each].advance)])],
    }
    if face.has_quadratic_outlines:
        descendant[name("CIDToGIDMap")] = _stream(b"\0\0" + mapping)
    return {
        name("Type"): name("Font"),
        name("Subtype"): name("Type0"),
        name("BaseFont"): title,
        name("Encoding"): name("Identity-H"),
        name("DescendantFonts"): [descendant],
        name("ToUnicode"): _stream(_to_unicode({each: shown[each].text for each in characters})),
    }


def _program(face: Face, subset: hb.Face) -> tuple[str, str, bytes]:
    """Return the kind of font, the key of its program, and the program (9.9, table 126)."""
    if face.has_quadratic_outlines:
        return "CIDFontType2", "FontFile2", bytes(subset.blob.data)
    return "CIDFontType0", "FontFile3", bytes(subset.reference_table("CFF ").data)


def _descriptor(face: Face, title: name, key: str, program: bytes) -> dict[name, Any]:
    head = face.face.reference_table("head").data
    box = [int.from_bytes(head[at : at + 2], "big", signed=True) for at in range(_BOX_AT, _BOX_AT + 8, 2)]
    entries = {"Length1": len(program)} if key == "FontFile2" else {"Subtype": name("CIDFontType0C")}
    return {
        name("Type"): name("FontDescriptor"),
        name("FontName"): title,
        name("Flags"): _SYMBOLIC,
        name("FontBBox"): [_thousandths(face, side) for side in box],
        name("ItalicAngle"): 0,
        name("Ascent"): round(face.ascent * 1000),
        name("Descent"): round(-face.descent * 1000),
        name("CapHeight"): round(face.ascent * 1000),
        name("StemV"): _STEM,
        name(key): _stream(program, **entries),
    }


def _thousandths(face: Face, length: int) -> int:
    return round(length * 1000 / face.units)


def _tag(content: bytes) -> str:
    """Return six capital letters for a content."""
    return "".join(chr(ord("A") + byte % 26) for byte in hashlib.sha256(content).digest()[:6])


def _stream(content: bytes, **entries: Any) -> stream:
    packed = {name(key): value for key, value in entries.items()}
    return stream({**packed, name("Filter"): name("FlateDecode"), name("Bytes"): zlib.compress(content)})


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be").hex().upper().encode()


def _to_unicode(texts: dict[int, str]) -> bytes:
    """Return the CMap from characters to what they stand for (9.10.3)."""
    mappings = [b"<%04X> <%b>\n" % (character, _utf16(text)) for character, text in texts.items()]
    sections = [mappings[start : start + _MOST_MAPPINGS] for start in range(0, len(mappings), _MOST_MAPPINGS)]
    return b"".join(
        [
            b"/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n",
            b"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n",
            b"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n",
            b"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
            *(b"%d beginbfchar\n%bendbfchar\n" % (len(section), b"".join(section)) for section in sections),
            b"endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n",
        ]
    )
