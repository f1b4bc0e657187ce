"""Font fallback: a text is set in one face if possible, otherwise each letter in the first face that has it.

Plain text is set without shaping, in the face that the settings name or else in the plain one. Any other text is
shaped; a letter and its marks are always from one face.

Rule: a character that no face has is refused with its name, never replaced or left out. Invisible characters
(Default_Ignorable_Code_Point, Unicode 5.21) need no glyph.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from unicodedata import category, name, normalize

from barcodesvc.drawing.faces import Face, bold_face, bundled_faces, plain_face
from barcodesvc.drawing.glyphs import Alphabet, alphabet
from barcodesvc.drawing.plain import ELLIPSIS, PlainWords
from barcodesvc.errors import InvalidContent
from barcodesvc.labels.text.shaping import UnicodeWords

Words = PlainWords | UnicodeWords

_MOST_KEPT = 200
"""The maximum number of measured texts that are kept, because labels repeat them."""
_SOFT_HYPHEN = "\u00ad"
"""Only visible at the end of a line, and lines are not hyphenated here; a face would always show it."""
_NO_TEXT = frozenset({"Cc", "Cs"})
_MARKS = frozenset({"Mn", "Me", "Mc"})
_VISIBLE_FORMATS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
_INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


class Typesetter:
    """Sets the texts of one run of labels; `named` are the faces that precede the bundled ones."""

    def __init__(self, *named: Face | None) -> None:
        self._named = tuple(face for face in named if face)
        self._kept: OrderedDict[str, Words] = OrderedDict()
        self._known: dict[str, Face] = {}
        self._alphabets = tuple(alphabet(face) for face in (*self._named, plain_face()))

    @cached_property
    def bold(self) -> Typesetter:
        """The same in bold letters, where there are some."""
        return Typesetter(bold_face(), *self._named)

    def check(self, text: str) -> None:
        """Raise InvalidContent with the rule `font`, which names the first character that no face has."""
        composed = _composed(text)
        if self._alphabet_of(composed) is None:
            self._faces_of(composed, text)

    def words(self, text: str) -> Words:
        """Return a text measured for its lines; raises what `check` raises."""
        words = self._kept.get(text)
        if words is None:
            words = self._kept[text] = self._measured(text)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return words

    def _measured(self, text: str) -> Words:
        composed = _composed(text)
        letters = self._alphabet_of(composed)
        if letters is not None:
            return PlainWords(composed, letters)
        faces = self._faces_of(composed, text)
        (ellipsis_face,) = self._faces_of(ELLIPSIS, ELLIPSIS)
        return UnicodeWords(composed, faces, ellipsis_face)

    def _alphabet_of(self, text: str) -> Alphabet | None:
        """Return the letters of a plain text, None for a text that is not plain."""
        for letters in self._alphabets:
            if letters.has(text):
                return letters
        return None

    def _faces_of(self, text: str, sent: str) -> list[Face]:
        """Return the face of each character; a letter and its marks have the same face.

        A refusal names the position in the text as it was sent.
        """
        faces: list[Face] = []
        for start, stop in _letters(text):
            letter = text[start:stop]
            face = self._known.get(letter)
            if face is None:
                face = self._known[letter] = self._face_of(letter, start, sent)
            faces += [face] * (stop - start)
        return faces

    def _face_of(self, letter: str, index: int, sent: str) -> Face:
        visible = [character for character in letter if not _is_invisible(character)]
        faces: tuple[Face, ...] = (*self._named, *bundled_faces())
        for can_draw in (_has, _has_parts):  # a whole letter of another face looks better than accents put on one
            for face in faces:
                if all(can_draw(face, character) for character in visible):
                    return face
        lacking = (each for each in visible if not any(_has_parts(face, each) for face in faces))
        character = next(lacking, visible[-1])
        raise _refused(character, _position(index + letter.index(character), sent))


def _composed(text: str) -> str:
    """Return a text as it is set: each letter and its accents as one character, without soft hyphens."""
    return normalize("NFC", text.replace(_SOFT_HYPHEN, ""))


def _position(index: int, sent: str) -> int:
    """Return where a character of a composed text begins in the text as it was sent, counted from 1."""
    lengths = range(1, len(sent) + 1)
    return 1 + bisect_left(lengths, index + 1, key=lambda length: len(_composed(sent[:length])))


def _letters(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and stop of each letter, with its marks and the invisible characters after it."""
    starts = [index for index, character in enumerate(text) if not index or not _continues_letter(character)]
    return pairwise([*starts, len(text)])


@lru_cache(4096)
def _continues_letter(character: str) -> bool:
    return category(character) in _MARKS or _is_invisible(character)


def _has(face: Face, character: str) -> bool:
    """Return whether a face has a character, or a plain space for a special one."""
    kind = category(character)
    return kind not in _NO_TEXT and (ord(character) in face.covered or (kind == "Zs" and ord(" ") in face.covered))


def _has_parts(face: Face, character: str) -> bool:
    """Return whether a face has a character, or a letter and its marks that make it."""
    parts = normalize("NFD", character)
    return _has(face, character) or (parts != character and all(ord(part) in face.covered for part in parts))


def _is_invisible(character: str) -> bool:
    if character.isascii():
        return False
    if category(character) == "Cf":
        return character not in _VISIBLE_FORMATS
    return character in _INVISIBLE_LETTERS or any(ord(character) in span for span in _VARIATION_SELECTORS)


def _refused(character: str, position: int) -> InvalidContent:
    named = f"U+{ord(character):04X} {name(character, '')}".strip()
    return InvalidContent(
        f"no font has a glyph for {named} at position {position}; BARCODESVC_LABEL_FONT names another font",
        rule="font",
        position=position,
        character=f"U+{ord(character):04X}",
    )
