"""Subsets of typefaces as embedded PDF fonts (ISO 32000-1 9.7): composite, with two bytes for each character.

A document contains the glyphs of each face that it uses. Each character of `pdf_text` is one of the font (CID). For a
TrueType face, a map leads from characters to glyphs. In the Compact Font Format glyphs keep their numbers, and the
character is the glyph.

Rule: the same characters in the same order give the same bytes. The tag before a subset's name is derived from its
content (9.6.4).
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import Any

from borb.pdf.primitives import name, stream

from barcodesvc.labels.text.typefaces import Face, Subset, subset
from barcodesvc.labels.writers.pdf_text import Character, UsedFont, utf16

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
        streams = (descendant.get("CIDToGIDMap"), descriptor.get("FontFile2"), descriptor.get("FontFile3"))
        parts = [self.font, descendant, descriptor, self.font["ToUnicode"], *streams]
        return [part for part in parts if part is not None]


def embedded(used: UsedFont) -> EmbeddedFont:
    """Return the subset of a face for all characters of a document."""
    part = subset(used.face, {character.glyph for character in used.characters.values()})
    return EmbeddedFont(used.resource, _font(used.face, part, used.characters))


def _font(face: Face, part: Subset, shown: dict[int, Character]) -> dict[name, Any]:
    """Return the composite font (9.7.6); `shown` has the character of each CID."""
    cids = sorted(shown)
    mapping = b"".join(part.numbers[shown[cid].glyph].to_bytes(2, "big") for cid in cids)
    kind, key, program = _program(face, part)
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
        name("W"): [entry for cid in cids for entry in (cid, [_thousandths(face, shown[cid].advance)])],
    }
    if face.has_quadratic_outlines:
        descendant[name("CIDToGIDMap")] = _stream(b"\0\0" + mapping)
    return {
        name("Type"): name("Font"),
        name("Subtype"): name("Type0"),
        name("BaseFont"): title,
        name("Encoding"): name("Identity-H"),
        name("DescendantFonts"): [descendant],
        name("ToUnicode"): _stream(_to_unicode({cid: shown[cid].text for cid in cids})),
    }


def _program(face: Face, part: Subset) -> tuple[str, str, bytes]:
    """Return the kind of font, the key of its program, and the program (9.9, table 126)."""
    if face.has_quadratic_outlines:
        return "CIDFontType2", "FontFile2", part.file
    return "CIDFontType0", "FontFile3", part.outlines


def _descriptor(face: Face, title: name, key: str, program: bytes) -> dict[name, Any]:
    entries = {"Length1": len(program)} if key == "FontFile2" else {"Subtype": name("CIDFontType0C")}
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
        name(key): _stream(program, **entries),
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
    """Return the CMap from characters to their texts (9.10.3)."""
    mappings = [b"<%04X> <%b>\n" % (cid, utf16(text).encode()) for cid, text in texts.items()]
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
