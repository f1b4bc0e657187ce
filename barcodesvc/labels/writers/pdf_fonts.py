"""Subsets of typefaces as embedded PDF fonts (ISO 32000-1 9.7): composite, with two bytes for each character.

A document contains the glyphs of each face that it uses. They keep their numbers, so that the character is the glyph.

Rule: the same glyphs give the same bytes. The tag before a subset's name is derived from its content (9.6.4).
"""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from borb.pdf.primitives import name, stream

from barcodesvc.drawing.faces import Face, font_program
from barcodesvc.labels.writers.pdf_text import UsedFont

_SYMBOLIC = 4
_STEM = 80
"""The thickness of stems, which font files do not contain and only substitutes for the font would use."""
_MOST_MAPPINGS = 100
"""Mappings in one section of a CMap (Adobe Technical Note 5014)."""


@dataclass(frozen=True, slots=True)
class EmbeddedFont:
    """A subset of one face as PDF objects, by the name of its resource."""

    resource: str
    font: dict[name, Any]

    def objects(self) -> list[Any]:
        """Return the objects that are written separately, the font first."""
        (descendant,) = self.font["DescendantFonts"]
        descriptor = descendant["FontDescriptor"]
        program = descriptor.get("FontFile2") or descriptor["FontFile3"]
        return [self.font, descendant, descriptor, self.font["ToUnicode"], program]


def embedded(used: UsedFont) -> EmbeddedFont:
    """Return the subset of a face for all glyphs of a document, as a composite font (9.7.6)."""
    face, glyphs = used.face, sorted(used.texts)
    program = font_program(face, set(glyphs))
    title = name(f"{_tag(program)}+{face.name}")
    font = {
        name("Type"): name("Font"),
        name("Subtype"): name("Type0"),
        name("BaseFont"): title,
        name("Encoding"): name("Identity-H"),
        name("DescendantFonts"): [_descendant(face, title, glyphs, program)],
        name("ToUnicode"): _stream(_to_unicode({glyph: used.texts[glyph] for glyph in glyphs})),
    }
    return EmbeddedFont(used.resource, font)


def _descendant(face: Face, title: name, glyphs: Sequence[int], program: bytes) -> dict[name, Any]:
    """Return the font that has the glyphs and their widths (9.7.4)."""
    font = {
        name("Type"): name("Font"),
        name("Subtype"): name("CIDFontType2" if face.has_quadratic_outlines else "CIDFontType0"),
        name("BaseFont"): title,
        name("CIDSystemInfo"): {name("Registry"): "Adobe", name("Ordering"): "Identity", name("Supplement"): 0},
        name("FontDescriptor"): _descriptor(face, title, program),
        name("W"): [entry for glyph in glyphs for entry in (glyph, [_thousandths(face, face.advance(glyph))])],
    }
    if face.has_quadratic_outlines:
        font[name("CIDToGIDMap")] = name("Identity")
    return font


def _descriptor(face: Face, title: name, program: bytes) -> dict[name, Any]:
    """Return the descriptor with the font program (9.9, table 126)."""
    if face.has_quadratic_outlines:
        key, file = "FontFile2", _stream(program, Length1=len(program))
    else:
        key, file = "FontFile3", _stream(program, Subtype=name("CIDFontType0C"))
    return {
        name("Type"): name("FontDescriptor"),
        name("FontName"): title,
        name("Flags"): _SYMBOLIC,
        name("FontBBox"): [_thousandths(face, side) for side in face.bounding_box],
        name("ItalicAngle"): 0,
        name("Ascent"): round(face.ascent * 1000),
        name("Descent"): round(-face.descent * 1000),
        name("CapHeight"): round(face.ascent * 1000),
        name("StemV"): _STEM,
        name(key): file,
    }


def _thousandths(face: Face, length: int) -> int:
    return round(length * 1000 / face.units)


def _tag(content: bytes) -> str:
    """Return six capital letters derived from the content."""
    return "".join(chr(ord("A") + byte % 26) for byte in hashlib.sha256(content).digest()[:6])


def _stream(content: bytes, **entries: Any) -> stream:
    packed = {name(key): value for key, value in entries.items()}
    return stream({**packed, name("Filter"): name("FlateDecode"), name("Bytes"): zlib.compress(content)})


def _to_unicode(texts: dict[int, str]) -> bytes:
    """Return the CMap from characters to their texts, in UTF-16 (9.10.3)."""
    mappings = [f"<{cid:04X}> <{text.encode('utf-16-be').hex().upper()}>\n".encode() for cid, text in texts.items()]
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
