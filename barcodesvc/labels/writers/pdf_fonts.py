"""Subsets of typefaces as embedded PDF fonts (ISO 32000-1 9.7): composite, with two bytes for each character.

A document contains the glyphs of each face that it uses. Each character of `pdf_text` is one of the font (CID). For a
TrueType face, a map leads from characters to glyphs. In the Compact Font Format the character is the glyph, and means
the text of its first use.

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
from barcodesvc.labels.writers.pdf_text import Character, SpelledRun, SpelledText, Spelling

_SYMBOLIC = 4
_STEM = 80
"""The thickness of stems, which font files do not contain and only substitutes for the font would use."""
_MOST_MAPPINGS = 100
"""Mappings in one section of a CMap (Adobe Technical Note 5014)."""


@dataclass(frozen=True, slots=True)
class EmbeddedFont:
    """A subset of one face: its PDF objects, and the code of each character, by number, in a string of the page."""

    resource: str
    font: dict[name, Any]
    codes: dict[int, bytes]

    def objects(self) -> list[Any]:
        """Return the objects that are written separately, the font first."""
        (descendant,) = self.font["DescendantFonts"]
        descriptor = descendant["FontDescriptor"]
        streams = (descendant.get("CIDToGIDMap"), descriptor.get("FontFile2"), descriptor.get("FontFile3"))
        parts = [self.font, descendant, descriptor, self.font["ToUnicode"], *streams]
        return [part for part in parts if part is not None]


@dataclass(frozen=True, slots=True)
class EmbeddedFonts:
    """The fonts of a document's lines, one for each face."""

    by_face: dict[Face, EmbeddedFont]

    @property
    def in_order(self) -> list[EmbeddedFont]:
        """The fonts in the order of their first use."""
        return list(self.by_face.values())

    def show(self, text: SpelledText) -> bytes:
        """Return the operators that show a spelled text, lengths in the unit of the page."""
        shown = b"".join(
            self._run(run, text.size, text.left + run.left * text.size, text.baseline) for run in text.runs
        )
        if not text.actual_text:
            return shown
        return b"/Span <</ActualText <FEFF%b>>> BDC\n%bEMC\n" % (_utf16(text.actual_text), shown)

    def _run(self, run: SpelledRun, size: float, left: float, baseline: int) -> bytes:
        font = self.by_face[run.face]
        thousandths = 1000 / run.face.units
        parts, rise = [b"["], 0
        for at in range(0, len(run.placed), 3):
            character, shift, height = run.placed[at : at + 3]
            if height != rise:
                parts.append(b"] TJ %.2f Ts [" % (height / run.face.units * size))
                rise = height
            if shift:
                parts.append(b"%d" % round(-shift * thousandths))
            parts.append(font.codes[character])
        parts.append(b"] TJ" + b" 0 Ts" * (rise != 0))
        text = b"".join(parts).replace(b"><", b"")
        return b"BT /%b %.2f Tf %.2f %d Td %b ET\n" % (font.resource.encode(), size, left, baseline, text)


def embed(spelling: Spelling) -> EmbeddedFonts:
    """Return the fonts for all characters of a document."""
    by_face: dict[Face, dict[int, Character]] = {}
    for character, number in spelling.numbers.items():
        by_face.setdefault(character.face, {})[number] = character
    return EmbeddedFonts(
        {
            face: _embedded(face, f"U{number}", characters)
            for number, (face, characters) in enumerate(by_face.items(), start=1)
        }
    )


def _embedded(face: Face, resource: str, used: dict[int, Character]) -> EmbeddedFont:
    part = subset(face, {character.glyph for character in used.values()})
    cids = _cids(face, used, part.numbers)
    shown: dict[int, Character] = {}
    for number, cid in cids.items():
        shown.setdefault(cid, used[number])
    return EmbeddedFont(resource, _font(face, part, shown), {number: b"<%04X>" % cid for number, cid in cids.items()})


def _cids(face: Face, used: dict[int, Character], glyphs: dict[int, int]) -> dict[int, int]:
    if not face.has_quadratic_outlines:
        return {number: glyphs[character.glyph] for number, character in used.items()}
    return {number: cid for cid, number in enumerate(used, start=1)}


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


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be").hex().upper().encode()


def _to_unicode(texts: dict[int, str]) -> bytes:
    """Return the CMap from characters to their texts (9.10.3)."""
    mappings = [b"<%04X> <%b>\n" % (cid, _utf16(text)) for cid, text in texts.items()]
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
