"""Random hands at a real page: no amount is booked that no person typed, and every one that was typed counts.

The Node test of the same name plays many more sequences, with letters, scanners of all kinds, and in all modes.
"""

from __future__ import annotations

import random

from scripts.browser.chromium import Chromium
from scripts.browser.keyboard import Key, Keyboard
from tests.page.scanning import open_scan
from tests.served import Service

SEQUENCES = 100
CODES = ("HB-1010", "HUB/056", "4006381333931", "40123455", "46", "4011", "1A2B-33", "36000291452", "A 7 12", "9-1234")
WATCH = """
window.made = [];
const address = performance.getEntriesByType('resource').map(({ name }) => name)
  .find((name) => name.endsWith('/script/bookings/sending.js'));
import(address).then(({ bookings }) => bookings()).then(({ queue }) => {
  const add = queue.add.bind(queue);
  queue.add = (booking, ...rest) => { made.push(booking.delta ?? booking.level); return add(booking, ...rest); };
  window.isWatched = true;
});
"""


class Hands:
    """Keys with their times, in seconds from the first one."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - the same keys in each run
        self._time = 0.0
        self.keys: list[tuple[float, Key]] = []

    def _press(self, name: str, after: float) -> None:
        self._time += after / 1000
        self.keys.append((self._time, Key(name)))

    def rest(self) -> None:
        """Turn from the scanner to the keyboard, or back."""
        self._time += self._random.uniform(1.02, 1.5)

    def scan(self, code: str) -> None:
        """Scan at any pace of a scanner, with up to two pauses, but at least two keys without one."""
        keys = [*code, "Enter"]
        slowest = self._random.choice([10, 50, 118])
        most = min(self._random.randrange(3), len(keys) - 2)
        pauses = self._random.sample(range(1, len(keys)), most)
        for number, key in enumerate(keys):
            after = self._random.uniform(0, 598) if number in pauses else self._random.uniform(5, slowest)
            self._press(key, after)
        self.rest()

    def scan_well(self, code: str) -> None:
        """Scan without any pause."""
        for key in [*code, "Enter"]:
            self._press(key, 5)
        self.rest()

    def amount(self) -> int:
        """Type an amount as a person, and return it."""
        amount = self._random.choice([self._random.randrange(2, 10), self._random.randrange(10, 1000)])
        for digit in str(amount):
            self._press(digit, self._random.uniform(122, 700))
        self.rest()
        return amount

    def end(self) -> None:
        """Press a key that types nothing: what was typed is decided then."""
        self.rest()
        self._press("Shift", 1000)


def test_an_amount_that_is_typed_before_scans_counts_once(service: Service, browser: Chromium) -> None:
    """However the scans stutter; without an amount each scan, and each piece of one, is 1."""
    open_scan(browser, service.address)
    browser.run(WATCH)
    browser.found("return window.isWatched")
    with Keyboard(browser) as keyboard:
        for seed in range(SEQUENCES):
            hands = Hands(seed)
            amount = hands.amount() if seed % 2 else 1
            hands.scan(CODES[seed % len(CODES)])
            hands.scan_well("HB-1010")
            hands.end()
            browser.run("made.length = 0; document.activeElement?.blur()")
            keyboard.play_ahead(hands.keys)
            browser.run("document.querySelectorAll('.notice.bad button:last-child').forEach((close) => close.click())")
            made = browser.run("return made")
            assert sorted(made) == [1] * (len(made) - 1) + [amount], f"sequence {seed}: {hands.keys}"
