"""The bidirectional algorithm (Unicode Standard Annex 9, revision 50): embedding levels of text that mixes directions.

A level is the depth of a character's embedding: even levels run from left to right, odd ones from right to left. The
text is one paragraph in logical order; its base level is that of its first strong character (P2, P3). The result is
levels, not a reordered text, because the paragraph is cut into lines afterwards.

Rule: every clause of the annex about levels is implemented under its name; character classes are those of Python's
Unicode database.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from unicodedata import bidirectional, category, mirrored, normalize

_GREATEST_DEPTH = 125
_MOST_OPEN_BRACKETS = 63
_EMBEDDINGS = {"RLE": ("R", ""), "LRE": ("L", ""), "RLO": ("R", "R"), "LRO": ("L", "L")}
_ISOLATES = frozenset({"RLI", "LRI", "FSI"})
_REMOVED = frozenset({"RLE", "LRE", "RLO", "LRO", "PDF", "BN"})
_NEUTRALS = frozenset({"B", "S", "WS", "ON", "PDI"}) | _ISOLATES
_BLANKS = frozenset({"WS", "PDI"}) | _ISOLATES | _REMOVED
_TURNING = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI"})
"""Text without any of these classes runs from left to right."""
_STRONG = frozenset({"L", "R", "AL"})
_CLOSES_ANOTHER = {"\u298d": "\u2990", "\u298f": "\u298e"}


@dataclass(frozen=True, slots=True)
class Levels:
    """The base level of a paragraph and the level of each of its characters."""

    base: int
    each: tuple[int, ...]


@dataclass(slots=True)
class _Embedding:
    level: int
    override: str = ""
    isolate: bool = False


@dataclass(slots=True)
class _Explicit:
    """The state of X1 to X8 in the paragraph: the stack of embeddings and the counts of overflows."""

    stack: list[_Embedding]
    overflown_isolates: int = 0
    overflown_embeddings: int = 0
    open_isolates: int = 0
    levels: list[int] = field(default_factory=list)

    def deeper(self, direction: str) -> int:
        """Return the next level of a direction."""
        level = self.stack[-1].level
        return level + 1 + (level + (direction == "L")) % 2

    def embed(self, direction: str, override: str) -> None:
        """X2 to X5."""
        level = self.deeper(direction)
        if level <= _GREATEST_DEPTH and not self.overflown_isolates and not self.overflown_embeddings:
            self.stack.append(_Embedding(level, override))
        elif not self.overflown_isolates:
            self.overflown_embeddings += 1

    def isolate(self, direction: str) -> None:
        """X5a to X5c."""
        level = self.deeper(direction)
        if level <= _GREATEST_DEPTH and not self.overflown_isolates and not self.overflown_embeddings:
            self.open_isolates += 1
            self.stack.append(_Embedding(level, isolate=True))
        else:
            self.overflown_isolates += 1

    def end_isolate(self) -> None:
        """X6a."""
        if self.overflown_isolates:
            self.overflown_isolates -= 1
        elif self.open_isolates:
            self.overflown_embeddings = 0
            while not self.stack.pop().isolate:
                pass
            self.open_isolates -= 1

    def end_embedding(self) -> None:
        """X7."""
        if self.overflown_isolates:
            return
        if self.overflown_embeddings:
            self.overflown_embeddings -= 1
        elif not self.stack[-1].isolate and len(self.stack) > 1:
            self.stack.pop()


def levels_of(text: str) -> Levels:
    """Return the levels of a paragraph in logical order, before it is cut into lines."""
    classes = [bidirectional(character) or "L" for character in text]
    if _TURNING.isdisjoint(classes):
        return Levels(0, (0,) * len(text))
    base = _first_strong(classes)
    kinds, explicit = _explicit_levels(classes, base)
    paragraph = _Paragraph(text, base, classes, kinds, explicit)
    levels = list(explicit)
    for sequence in _isolating_sequences(classes, explicit):
        for index, level in zip(sequence, _resolved(sequence, paragraph), strict=True):
            levels[index] = level
    for index, kind in enumerate(classes):
        if kind in _REMOVED:
            levels[index] = levels[index - 1] if index else base
    return Levels(base, tuple(levels))


def line_runs(text: str, levels: Levels, start: int, stop: int) -> list[tuple[int, int, int]]:
    """Return the runs of one level in a line, each as start, stop and level, in visual order (L1, L2)."""
    each = list(levels.each[start:stop])
    if not any(each):
        return [(start, stop, 0)] if each else []
    end = len(each)
    while end and bidirectional(text[start + end - 1]) in _BLANKS:
        end -= 1
        each[end] = levels.base
    runs = []
    index = start
    for level, group in groupby(each):
        length = len(list(group))
        runs.append((index, index + length, level))
        index += length
    for level in range(max(each, default=0), 0, -1):
        runs = _reversed_from(runs, level)
    return runs


def _reversed_from(runs: list[tuple[int, int, int]], level: int) -> list[tuple[int, int, int]]:
    turned: list[tuple[int, int, int]] = []
    for deep, group in groupby(runs, key=lambda run: run[2] >= level):
        neighbours = list(group)
        turned += neighbours[::-1] if deep else neighbours
    return turned


def _first_strong(classes: Sequence[str]) -> int:
    """P2, P3: the content of isolates does not count."""
    depth = 0
    for kind in classes:
        if kind in _ISOLATES:
            depth += 1
        elif kind == "PDI":
            depth = max(0, depth - 1)
        elif kind in _STRONG and not depth:
            return int(kind != "L")
    return 0


def _explicit_levels(classes: Sequence[str], base: int) -> tuple[list[str], list[int]]:
    """X1 to X8: return the classes after overrides, and the levels."""
    state = _Explicit([_Embedding(base)])
    kinds = []
    for index, kind in enumerate(classes):
        if kind == "PDI":
            state.end_isolate()
        inner = state.stack[-1]
        state.levels.append(inner.level)
        kinds.append(inner.override or kind)
        if kind in _EMBEDDINGS:
            state.embed(*_EMBEDDINGS[kind])
        elif kind in _ISOLATES:
            state.isolate(_isolate_direction(kind, classes, index))
        elif kind == "PDF":
            state.end_embedding()
    return kinds, state.levels


def _isolate_direction(kind: str, classes: Sequence[str], index: int) -> str:
    if kind != "FSI":
        return kind[0]
    return "R" if _first_strong(classes[index + 1 : _matching(classes, index)]) else "L"


def _matching(classes: Sequence[str], start: int) -> int:
    """BD9: return the index of the PDI that ends an isolate, or the end of the text."""
    depth = 0
    for at in range(start, len(classes)):
        depth += (classes[at] in _ISOLATES) - (classes[at] == "PDI")
        if not depth:
            return at
    return len(classes)


def _isolating_sequences(classes: Sequence[str], levels: Sequence[int]) -> list[list[int]]:
    """X9, X10 (BD13): return the indexes of each sequence; text after an isolate is joined to the text before it."""
    kept = [index for index, kind in enumerate(classes) if kind not in _REMOVED]
    sequences: list[list[int]] = []
    interrupted: list[list[int]] = []
    for _, group in groupby(kept, key=levels.__getitem__):
        run = list(group)
        if classes[run[0]] == "PDI" and interrupted:
            sequence = interrupted.pop()
            sequence += run
        else:
            sequence = run
            sequences.append(sequence)
        if classes[run[-1]] in _ISOLATES:
            interrupted.append(sequence)
    return sequences


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """A text after X8: its classes, the same after overrides, and the explicit levels."""

    text: str
    base: int
    classes: Sequence[str]
    kinds: Sequence[str]
    levels: Sequence[int]


def _resolved(sequence: list[int], paragraph: _Paragraph) -> list[int]:
    """W1 to I2: return the final level of each character of an isolating run sequence."""
    kinds = [paragraph.kinds[index] for index in sequence]
    level = paragraph.levels[sequence[0]]
    before, after = _borders(sequence, paragraph)
    _resolve_weak(kinds, before)
    originals = [paragraph.classes[index] for index in sequence]
    _resolve_brackets([paragraph.text[index] for index in sequence], originals, kinds, (before, _direction(level)))
    _resolve_neutrals(kinds, before, after, _direction(level))
    steps = {"L": 1, "R": 0, "EN": 1, "AN": 1} if level % 2 else {"L": 0, "R": 1, "EN": 2, "AN": 2}
    return [level + steps[kind] for kind in kinds]


def _direction(level: int) -> str:
    return "R" if level % 2 else "L"


def _borders(sequence: list[int], paragraph: _Paragraph) -> tuple[str, str]:
    """X10: return the directions before and after a sequence (sos, eos)."""
    classes, levels, base = paragraph.classes, paragraph.levels, paragraph.base
    level = levels[sequence[0]]
    first, last = sequence[0] - 1, sequence[-1] + 1
    while first >= 0 and classes[first] in _REMOVED:
        first -= 1
    while last < len(classes) and classes[last] in _REMOVED:
        last += 1
    earlier = levels[first] if first >= 0 else base
    later = base if last == len(classes) or classes[sequence[-1]] in _ISOLATES else levels[last]
    return _direction(max(level, earlier)), _direction(max(level, later))


def _resolve_weak(kinds: list[str], before: str) -> None:
    """W1 to W7."""
    previous = strong = before
    for index, kind in enumerate(kinds):
        if kind == "NSM":
            kind = "ON" if previous in _ISOLATES or previous == "PDI" else previous  # noqa: PLW2901 - as the rule reads
        if kind in _STRONG:
            strong = kind
        elif kind == "EN" and strong == "AL":
            kind = "AN"  # noqa: PLW2901 - as the rule reads
        previous = kinds[index] = kind
    kinds[:] = ["R" if kind == "AL" else kind for kind in kinds]
    _resolve_separators(kinds)
    strong = before
    for index, kind in enumerate(kinds):
        if kind in _STRONG:
            strong = kind
        elif kind == "EN" and strong == "L":
            kinds[index] = "L"


def _resolve_separators(kinds: list[str]) -> None:
    """W4 to W6."""
    for index in range(1, len(kinds) - 1):
        numbers = kinds[index - 1], kinds[index + 1]
        if (kinds[index] in ("ES", "CS") and numbers == ("EN", "EN")) or (
            kinds[index] == "CS" and numbers == ("AN", "AN")
        ):
            kinds[index] = numbers[0]
    start = 0
    for kind, group in groupby(list(kinds)):
        stop = start + len(list(group))
        if kind == "ET" and "EN" in (kinds[start - 1 : start] + kinds[stop : stop + 1]):
            kinds[start:stop] = ["EN"] * (stop - start)
        start = stop
    kinds[:] = ["ON" if kind in ("ES", "ET", "CS") else kind for kind in kinds]


def _strong_direction(kind: str) -> str:
    """N0, N1: numbers count as right to left."""
    return {"L": "L", "R": "R", "EN": "R", "AN": "R"}.get(kind, "")


def _resolve_brackets(
    characters: Sequence[str], originals: Sequence[str], kinds: list[str], directions: tuple[str, str]
) -> None:
    """N0; `directions` are those before the sequence and of its embedding."""
    before, embedding = directions
    for opening, closing in _bracket_pairs(characters, kinds):
        inside = {_strong_direction(kind) for kind in kinds[opening + 1 : closing]} - {""}
        if not inside:
            continue
        direction = embedding
        if embedding not in inside:
            earlier = (_strong_direction(kind) for kind in reversed(kinds[:opening]))
            direction = next(filter(None, earlier), before)
        for index in (opening, closing):
            kinds[index] = direction
            for at in range(index + 1, len(kinds)):
                if originals[at] != "NSM":
                    break
                kinds[at] = direction


def _bracket_pairs(characters: Sequence[str], kinds: Sequence[str]) -> list[tuple[int, int]]:
    """BD16: return the indexes of matching brackets, in the order of the opening ones."""
    pairs: list[tuple[int, int]] = []
    open_brackets: list[tuple[str, int]] = []
    for index, character in enumerate(characters):
        if kinds[index] != "ON" or not mirrored(character):
            continue
        closing = _closing_bracket(character)
        if closing:
            if len(open_brackets) == _MOST_OPEN_BRACKETS:
                return []
            open_brackets.append((closing, index))
        elif category(character) == "Pe":
            matching = [at for at, (closing, _) in enumerate(open_brackets) if closing == normalize("NFC", character)]
            if matching:
                pairs.append((open_brackets[matching[-1]][1], index))
                del open_brackets[matching[-1] :]
    return sorted(pairs)


def _closing_bracket(character: str) -> str:
    """Return the closing bracket of an opening one: one of the next two characters of Unicode's table."""
    if category(character) != "Ps":
        return ""
    following = (chr(ord(character) + step) for step in (1, 2))
    closing = _CLOSES_ANOTHER.get(character) or next((each for each in following if category(each) == "Pe"), "")
    return normalize("NFC", closing)


def _resolve_neutrals(kinds: list[str], before: str, after: str, embedding: str) -> None:
    """N1, N2."""
    start = 0
    for neutral, group in groupby(list(kinds), key=_NEUTRALS.__contains__):
        stop = start + len(list(group))
        if neutral:
            left = _strong_direction(kinds[start - 1]) if start else before
            right = _strong_direction(kinds[stop]) if stop < len(kinds) else after
            kinds[start:stop] = [left if left == right else embedding] * (stop - start)
        start = stop
