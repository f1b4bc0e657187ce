"""Writes barcodesvc/scanning/keyboard_layouts.py: what the keys of an American keyboard type on others.

The data are those of xkeyboard-config, from the Debian packages xkb-data and libxkbcommon0. Layouts that move more than
six letters, such as Dvorak, are left out: what they make of a short code is as plausible as the code.
"""

import ctypes
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from string import ascii_lowercase

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "barcodesvc" / "scanning" / "keyboard_layouts.py"
RULES = Path("/usr/share/X11/xkb/rules/evdev.lst")
COUNTRIES = (
    *("us", "gb", "ie", "ca", "au", "za", "de", "at", "ch", "fr", "be", "es", "latam", "it", "pt", "br", "nl"),
    *("se", "no", "dk", "fi", "is", "fo", "pl", "cz", "tr"),
    *("ru", "ua", "by", "bg", "rs", "me", "ba", "mk", "kz", "kg", "mn", "tj"),
)
"""Those whose language the web app speaks, and neighbours; `latam` is Latin America."""
MOST_MOVED_LETTERS = 6
KEYS = (
    *("TLDE", *(f"AE{number:02}" for number in range(1, 13))),
    *(*(f"AD{number:02}" for number in range(1, 13)), "BKSL"),
    *(f"AC{number:02}" for number in range(1, 12)),
    *(f"AB{number:02}" for number in range(1, 11)),
)
"""The keys of the four rows of an American keyboard, by their names in XKB."""
ACCENTS = {
    "dead_grave": "`",
    "dead_acute": "\u00b4",
    "dead_circumflex": "^",
    "dead_tilde": "~",
    "dead_diaeresis": "\u00a8",
    "dead_cedilla": "\u00b8",
    "dead_abovering": "\u00b0",
    "dead_caron": "\u02c7",
    "dead_ogonek": "\u02db",
}
"""What dead keys type alone."""
NO_CHARACTER = "\0"
HEAD = '''"""What the keys of an American keyboard type on computers with other keyboard layouts.

Made by scripts/keyboard_layouts.py from xkeyboard-config {version}. Of layouts that are alike in these keys, the first
is here. A dead key has its accent.
"""

AMERICAN = {american}
"""The keys of the four rows from left to right, then the same ones with Shift."""

LAYOUTS = {{
'''


class Names(ctypes.Structure):
    """A choice of a layout: `struct xkb_rule_names`."""

    _fields_ = [(name, ctypes.c_char_p) for name in ("rules", "model", "layout", "variant", "options")]


def library() -> ctypes.CDLL:
    """Return libxkbcommon with the types of what is called here."""
    xkb = ctypes.CDLL("libxkbcommon.so.0")
    pointer, number = ctypes.c_void_p, ctypes.c_uint32
    xkb.xkb_context_new.restype = pointer
    xkb.xkb_keymap_new_from_names.restype = pointer
    xkb.xkb_keymap_new_from_names.argtypes = [pointer, ctypes.POINTER(Names), ctypes.c_int]
    xkb.xkb_keymap_unref.argtypes = [pointer]
    xkb.xkb_keymap_key_by_name.argtypes = [pointer, ctypes.c_char_p]
    symbols = ctypes.POINTER(ctypes.POINTER(number))
    xkb.xkb_keymap_key_get_syms_by_level.argtypes = [pointer, number, number, number, symbols]
    xkb.xkb_keysym_get_name.argtypes = [number, ctypes.c_char_p, ctypes.c_size_t]
    return xkb


XKB = library()
CONTEXT = XKB.xkb_context_new(0)


def typed(layout: str, variant: str) -> str:
    """Return what the keys of a layout type, without and with Shift."""
    names = Names(b"evdev", b"pc105", layout.encode(), variant.encode(), b"")
    keymap = XKB.xkb_keymap_new_from_names(CONTEXT, ctypes.byref(names), 0)
    if not keymap:
        raise SystemExit(f"there is no layout {layout} {variant}")
    characters = "".join(character(keymap, key, level) for level in (0, 1) for key in KEYS)
    XKB.xkb_keymap_unref(keymap)
    return characters


def character(keymap: int, key: str, level: int) -> str:
    """Return the character of a key, the accent of a dead one."""
    symbols = ctypes.POINTER(ctypes.c_uint32)()
    code = XKB.xkb_keymap_key_by_name(keymap, key.encode())
    if not XKB.xkb_keymap_key_get_syms_by_level(keymap, code, 0, level, ctypes.byref(symbols)):
        return NO_CHARACTER
    point = XKB.xkb_keysym_to_utf32(symbols[0])
    if point:
        return chr(point)
    name = ctypes.create_string_buffer(64)
    XKB.xkb_keysym_get_name(symbols[0], name, len(name))
    return ACCENTS.get(name.value.decode(), NO_CHARACTER)


def layouts() -> Iterator[tuple[str, str]]:
    """Yield the layouts of the countries, then their variants, as XKB names them."""
    yield from ((country, "") for country in COUNTRIES)
    variants = RULES.read_text("utf-8").partition("! variant")[2].partition("! option")[0]
    for line in variants.splitlines():
        variant, _, rest = line.strip().partition(" ")
        country = rest.strip().partition(":")[0]
        if country in COUNTRIES:
            yield country, variant


def is_usual(american: str, characters: str) -> bool:
    """Return whether each key has a character, and the letters are Cyrillic, or Latin and mostly in their places."""
    letters = [other for key, other in zip(american, characters, strict=True) if key in ascii_lowercase]
    scripts = {unicodedata.name(letter, "?").partition(" ")[0] for letter in letters if letter.isalpha()}
    pairs = zip(american, characters, strict=True)
    moved = [key for key, other in pairs if key in ascii_lowercase and other in ascii_lowercase and key != other]
    return characters.isprintable() and scripts <= {"LATIN", "CYRILLIC"} and len(moved) <= MOST_MOVED_LETTERS


def write() -> None:
    """Write the table, with the version of the package that it comes from."""
    american = typed("us", "")
    names: dict[str, str] = {}
    for layout, variant in layouts():
        characters = typed(layout, variant)
        if characters != american and is_usual(american, characters):
            names.setdefault(characters, f"{layout}({variant})" if variant else layout)
    asked = ["dpkg-query", "--show", "--showformat=${source:Upstream-Version}", "xkb-data"]
    version = subprocess.run(asked, check=True, capture_output=True, text=True).stdout  # noqa: S603 - asks for a version
    lines = [f"    {name!r}: {characters!r},\n" for characters, name in names.items()]
    text = HEAD.format(version=version, american=repr(american)) + "".join(lines) + "}\n"
    TABLE.write_text(text, "utf-8")
    subprocess.run([ROOT / ".venv" / "bin" / "ruff", "format", "--quiet", TABLE], check=True)  # noqa: S603 - a tool of this checkout
    print(f"{len(names)} layouts of xkeyboard-config {version}")


if __name__ == "__main__":
    write()
