"""Keys that reach a page at exact times, from a scanner or a person, however busy the machine is.

Each key carries the time at which it was pressed, so whether the page takes it for fast or slow does not depend on how
long a command takes. All keys of a text are sent at once; they are trusted, and act like a person's keys.
"""

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any, Self

from websocket import ABNF, WebSocket, create_connection

from tests.browser.chromium import Chromium

SCANNER_GAP = 5.0
"""Milliseconds between two keys of a usual wedge scanner."""
ALT, _CTRL = 1, 2
_NAMED = {"Enter": 13, "Tab": 9, "Backspace": 8, "Escape": 27, " ": 32}
_TEXTS = {"Enter": "\r"}
_NEXT_KEY, _TURNING = 0.13, 1.0
"""Seconds after which a person presses the next key, and has turned from the keyboard to the scanner."""
_BEHIND = 0.02
"""Seconds between the last key and now, so that no key is pressed in the future."""
_AHEAD = 0.025
"""Seconds by which keys next to inserted text are ahead: it comes this much later, or more on a busy machine."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: `name` is its `KeyboardEvent.key`, a character or `Enter`; `code` is its place on the keyboard."""

    name: str
    code: str = ""
    modifiers: int = 0


@dataclass(frozen=True, slots=True)
class AltCode:
    """A character as a scanner in ALT mode types it: its code on the number pad while Alt is held.

    `typed` is what the system types for it when Alt is released; Windows does this, other systems do not.
    """

    digits: str
    typed: str = ""


@dataclass(frozen=True, slots=True)
class Inserted:
    """Text that comes from an input method, without a key; it comes when it is sent."""

    text: str


CTRL_BRACKET = Key("]", "BracketRight", _CTRL)
"""How scanners type the group separator."""


class Keyboard:
    """The keyboard of one browser, which shows one page."""

    def __init__(self, browser: Chromium) -> None:
        self._browser = browser
        self._socket: WebSocket = create_connection(_page_of(browser), suppress_origin=True)
        self._sent = 0
        self._typed = 0.0

    def __enter__(self) -> Self:
        """Return the keyboard, which is unplugged at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Unplug it."""
        self._socket.close()

    def scan(self, code: str, *, end: str = "Enter", gap: float = SCANNER_GAP) -> None:
        """Type a code and its terminator (none if empty), with `gap` milliseconds between two keys."""
        self._browser.until(lambda: time.time() - gap * len(code) / 1000 > self._typed + _TURNING)
        self.press(*map(Key, code), *([Key(end)] if end else []), gap=gap)

    def type(self, text: str, *, gap: float = 150) -> None:
        """Type a text as a person does, whose hands then turn to the scanner."""
        self.press(*map(Key, text), gap=gap)
        self._typed = time.time()

    def press(self, *keys: Key | AltCode | Inserted, gap: float = SCANNER_GAP, last_gap: float = 0) -> None:
        """Press and release these keys, and return when the page has seen them all.

        The last one comes `last_gap` milliseconds later than the gap between the others says.
        """
        seconds, pause = gap / 1000, last_gap / 1000
        behind = -_AHEAD if any(isinstance(key, Inserted) for key in keys) else _BEHIND
        lasts = behind + seconds * len(keys) + pause
        self._browser.until(lambda: time.time() - lasts > self._typed + _NEXT_KEY)
        self._browser.until(lambda: self._browser.run("return performance.now()") > lasts * 1000)
        begin = time.time() - lasts
        times = [begin + at * seconds for at in range(len(keys))]
        times[-1] += pause
        self._send(event for key, at in zip(keys, times, strict=True) for event in _events(key, at, seconds / 3))

    def scan_with_pause(self, before: str, after: str, *, pause: float) -> None:
        """Scan a code in two pieces, with this many milliseconds between them, and Enter at its end."""
        keys = [*map(Key, before + after), Key("Enter")]
        gap = SCANNER_GAP / 1000
        self.play([(at * gap + (pause / 1000 if at >= len(before) else 0), key) for at, key in enumerate(keys)])

    def play(self, keys: Sequence[tuple[float, Key]]) -> None:
        """Press each key at its time, in seconds."""
        times = [at for at, _ in keys]
        lasts = _BEHIND + times[-1]
        self._browser.until(lambda: self._browser.run("return performance.now()") > lasts * 1000)
        begin = time.time() - lasts
        self._send(event for at, key in keys for event in _events(key, begin + at, SCANNER_GAP / 3000))

    def _send(self, events: Iterable[dict[str, Any]]) -> None:
        """Send all events at once, so that they arrive together however busy the machine is; wait for the last."""
        frames = b"".join(self._frame(event) for event in events)
        if self._socket.sock is not None:
            self._socket.sock.sendall(frames)
        while json.loads(self._socket.recv()).get("id") != self._sent:
            pass

    def _frame(self, event: dict[str, Any]) -> bytes:
        self._sent += 1
        method = "Input.insertText" if "timestamp" not in event else "Input.dispatchKeyEvent"
        command = {"id": self._sent, "method": method, "params": event}
        frame: bytes = ABNF.create_frame(json.dumps(command), ABNF.OPCODE_TEXT).format()
        return frame


def scan(browser: Chromium, code: str) -> None:
    """Type one code with a scanner that is plugged in for it."""
    with Keyboard(browser) as keyboard:
        keyboard.scan(code)


def type_at_once(browser: Chromium, text: str) -> None:
    """Type a text as a person does, who turns from digits to the scanner, at times that lie behind; a newline is Enter.

    It goes to the tab that the browser is in.
    """
    lasts = _NEXT_KEY * len(text) + (_TURNING if text[-1:].isdigit() else 0)
    browser.until(lambda: browser.run("return performance.now()") > lasts * 1000)
    begin = time.time() - lasts
    for number, character in enumerate(text):
        key = Key("Enter" if character == "\n" else character)
        for event in _events(key, begin + number * _NEXT_KEY, _NEXT_KEY / 3):
            browser.devtools("Input.dispatchKeyEvent", **event)


def _events(key: Key | AltCode | Inserted, pressed: float, held: float) -> Iterable[dict[str, Any]]:
    if isinstance(key, AltCode):
        yield from _alt_events(key, pressed, held)
        return
    if isinstance(key, Inserted):
        yield {"text": key.text}
        return
    text = "" if key.modifiers & (_CTRL | ALT) else _TEXTS.get(key.name, key.name if len(key.name) == 1 else "")
    told = {"key": key.name, "code": key.code or key.name, "modifiers": key.modifiers}
    # a sign has none here: the number of its character is that of another key, such as Delete for a point
    letter = ord(key.name[0].upper()) if key.name.isascii() and key.name.isalnum() else 0
    told["windowsVirtualKeyCode"] = _NAMED.get(key.name, letter)
    yield {**told, "type": "keyDown" if text else "rawKeyDown", "text": text, "timestamp": pressed}
    yield {**told, "type": "keyUp", "timestamp": pressed + held}


def _alt_events(code: AltCode, pressed: float, held: float) -> Iterable[dict[str, Any]]:
    alt = {"key": "Alt", "code": "AltLeft", "windowsVirtualKeyCode": 18}
    yield {**alt, "type": "rawKeyDown", "modifiers": ALT, "timestamp": pressed}
    for number, digit in enumerate(code.digits, 1):
        key = {"key": digit, "code": f"Numpad{digit}", "modifiers": ALT, "isKeypad": True}
        at = pressed + held * number / len(code.digits)
        yield {**key, "type": "rawKeyDown", "windowsVirtualKeyCode": ord("`") + int(digit), "timestamp": at}
        yield {**key, "type": "keyUp", "timestamp": at}
    yield {**alt, "type": "keyUp", "timestamp": pressed + held}
    if code.typed:
        yield {"type": "char", "text": code.typed, "timestamp": pressed + held}


def _page_of(browser: Chromium) -> str:
    """Return the address of the DevTools of the browser's page."""
    connection = HTTPConnection(browser.driver.capabilities["goog:chromeOptions"]["debuggerAddress"])
    try:
        connection.request("GET", "/json")
        targets = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    address: str = next(one["webSocketDebuggerUrl"] for one in targets if one["type"] == "page")
    return address
