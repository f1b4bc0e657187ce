"""The encoding of a text file, which the file itself does not name.

A byte order mark decides. A file without one is UTF-8 if all of it is. Otherwise it is Windows-1252, which Excel writes
in Western Europe, if each word beyond ASCII has letters that one Western European language can have together.
Anything else is a guess, and is reported as such.

Rule: a guess is never silent, because wrong letters in ten thousand products are found too late.
"""

import codecs
import encodings
import re
from collections.abc import Iterator
from dataclasses import dataclass
from encodings.aliases import aliases
from functools import cache, partial
from typing import IO

from barcodesvc.spreadsheets.refusals import unreadable_text

LONGEST_NAME = 40
"""Characters of the name of an encoding."""

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_CHUNK = 64 * 1024
_SAMPLE = 128 * 1024
"""Bytes of lines beyond ASCII that are looked at for a guess."""
_GUESSED_WESTERN = ("mac_roman", "cp850")
_GUESSED = (
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874"),
    *("cp932", "gb18030", "big5", "cp949", "euc_jp"),
    *("koi8_r", "cp866", "cp850", "cp852", "mac_roman", "mac_cyrillic", "iso8859_2", "iso8859_5"),
)
"""Encodings of files that programs have saved in the last decades."""
_NOT_OF_FILES = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "charmap"})
"""Python's codecs for texts that are not files."""

_ALPHABETS = tuple(
    map(
        frozenset,
        (
            "äöüßé",
            "àâçéèêëîïôùûüœæ",
            "áéíóúüñ",
            "áàâãçéêíóôõúü",
            "àèéìíîòóù",
            "åäöæøé",
            "àçèéíïòóúü",
            "éëïöüèê",
        ),
    )
)
"""Letters of the languages that are written in Windows-1252: German, French, Spanish, Portuguese, Italian, the Nordic
ones, Catalan and Dutch."""
_WORD = re.compile(r"[^\W\d_]*[^\x00-\x7f](?:[^\x00-\x7f]|[^\W\d_])*")
"""A run of letters and of any characters beyond ASCII, at least one of them."""
_NEVER_WESTERN = re.compile(r"[^\x00-\x7f]{3}|[a-zß-ÿ][À-ÖØ-Þ]")
"""Many letters beyond ASCII in a row, or a capital one in the middle of a word."""
_OPENING = "«»„“”‚‘’°µ±×·•–—¡¿"  # noqa: RUF001 - quotes, signs and dashes
_CLOSING = f"{_OPENING}€£¥§©®™²³¹ªº…½¼¾÷‰"
"""Signs that may stand before a word, and after it; `¤` is the euro sign of ISO 8859-15."""
_JOINING = re.compile("\N{RIGHT SINGLE QUOTATION MARK}|(?<=l)·(?=l)", re.IGNORECASE)
"""Signs that may stand in it."""
_HAN = re.compile("[\u4e00-\u9fff]")
"""Chinese characters: Korean, whose encoding has the same bytes as that of Chinese, has hardly any."""
_STRANGE_WORDS = 0.05
"""The share of words that no Western European language has, up to which a text is more likely one than not."""


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """An encoding by the name of its codec, and whether it is only a guess."""

    codec: str
    guessed: bool = False


def known_encoding(name: str) -> str:
    """Return the codec of an encoding that a person has named; raises ValueError for an unknown one."""
    wanted = encodings.normalize_encoding(name.strip()).lower()
    if wanted not in _codecs() or wanted in _NOT_OF_FILES:
        raise ValueError(f"{name[:LONGEST_NAME]!r} is not a known encoding; use utf-8, windows-1251, shift_jis, …")
    return codecs.lookup(wanted).name


@cache
def _codecs() -> frozenset[str]:
    """Return the names of all codecs of texts: Python would keep each unknown one."""
    from pkgutil import iter_modules  # noqa: PLC0415 - only a file that names its encoding needs it

    names = {*aliases, *aliases.values(), *(module.name for module in iter_modules(encodings.__path__))}
    return frozenset(name for name in names if _is_of_texts(name))


def _is_of_texts(name: str) -> bool:
    try:
        "".encode(name)
    except (LookupError, UnicodeError):
        return False
    return True


def usual_name(codec: str) -> str:
    """Return the name of a codec that people know, such as `windows-1251`."""
    name = codecs.lookup(codec).name
    return re.sub(r"^cp(125\d)$", r"windows-\1", name)


def find_encoding(file: IO[bytes], given: str | None = None) -> TextEncoding:
    """Return the encoding of a whole file; raises InvalidFileFormat if it is not the given one, or if none fits."""
    if given is not None:
        if not _decodes(file, given):
            raise unreadable_text(f"its encoding is not {usual_name(given)}")
        return TextEncoding("utf-8-sig" if given == "utf-8" else given)
    file.seek(0)
    head = file.read(max(map(len, _MARKS)))
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return _marked(file, encoding)
    if _decodes(file, "utf-8"):
        return TextEncoding("utf-8")
    return _unmarked(file, _sample(file))


def _marked(file: IO[bytes], encoding: str) -> TextEncoding:
    if not _decodes(file, encoding):
        raise unreadable_text("its encoding is not what its byte order mark says")
    return TextEncoding(encoding)


def _unmarked(file: IO[bytes], sample: list[bytes]) -> TextEncoding:
    _refuse_broken_utf8(file, sample)
    text = b"".join(sample)
    words = _words(text, "cp1252")
    strange = sum(not _is_western(word) for word in words)
    if words and strange <= len(words) * _STRANGE_WORDS and _decodes(file, "cp1252"):
        return TextEncoding("cp1252", guessed=strange > 0)
    for encoding in (*_guesses(text), "cp1252"):
        if _decodes(file, encoding):
            return TextEncoding(encoding, guessed=True)
    raise unreadable_text("its encoding cannot be guessed; name it")


def _refuse_broken_utf8(file: IO[bytes], sample: list[bytes]) -> None:
    """Refuse a text that is UTF-8 except for a few lines: in any other encoding, its other lines would be wrong."""
    if sum(map(_is_utf8, sample)) * 2 > len(sample):
        file.seek(0)
        lines = iter(partial(file.readline, _CHUNK), b"")
        wrong = next((number for number, line in enumerate(lines, 1) if not _is_utf8(line)), 0)
        raise unreadable_text(f"line {wrong} is not UTF-8, unlike the others")


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _guesses(sample: bytes) -> Iterator[str]:
    """Yield the encodings that fit a sample, the best one first."""
    western = {encoding: _words(sample, encoding) for encoding in _GUESSED_WESTERN}
    likely = [encoding for encoding, words in western.items() if words and all(map(_is_western, words))]
    yield from sorted(likely, key=lambda encoding: not _is_one_language("".join(western[encoding])))
    from charset_normalizer import from_bytes  # noqa: PLC0415 - loaded at its first use

    for match in from_bytes(sample, cp_isolation=list(_GUESSED)):
        if match.encoding != "cp949" or not _HAN.search(str(match)):
            yield match.encoding


def _words(sample: bytes, encoding: str) -> set[str]:
    """Return the words beyond ASCII, without the signs around them; none if it is not the encoding."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return set()
    words = _WORD.findall(text.replace("\xa0", " "))
    return {_JOINING.sub("", word.lstrip(_OPENING).rstrip(_CLOSING)) for word in words}


def _is_western(word: str) -> bool:
    return not _NEVER_WESTERN.search(word) and _is_one_language(word)


def _is_one_language(text: str) -> bool:
    letters = {letter for letter in text.lower() if not letter.isascii()}
    return any(letters <= alphabet for alphabet in _ALPHABETS)


def _decodes(file: IO[bytes], encoding: str) -> bool:
    """Return whether the whole file is valid in an encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    file.seek(0)
    try:
        while chunk := file.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _sample(file: IO[bytes]) -> list[bytes]:
    """Return the first lines that have more than ASCII."""
    file.seek(0)
    lines: list[bytes] = []
    size = 0
    while size < _SAMPLE and (line := file.readline(_CHUNK)):
        if not line.isascii():
            lines.append(line)
            size += len(line)
    return lines
