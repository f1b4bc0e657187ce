"""A headless Chromium on the page: what it is to a person (size, colours, language, network), and what it was up to.

It is Debian's, with its driver; both are named to Selenium, so that nothing is looked for or downloaded. No other host
can be reached from it, and each has a profile of its own in a folder that the caller gives: another Chromium on the
same folder finds what the first has stored.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.support.wait import WebDriverWait

from scripts.browser.net_log import NetLog, read_net_log

PATIENCE = 20.0
"""Seconds within which what is waited for has to be seen."""
_LOOK_EVERY = 0.02
SHOP = "shop.lan"
"""A name for the service that is no secure origin over plain HTTP, as for a phone in a shop's network."""
_NO_OTHER_HOST = f"MAP {SHOP} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
_FLAGS = (
    "--headless=new",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--mute-audio",
    f"--host-resolver-rules={_NO_OTHER_HOST}",
)
_KILOBIT = 1000 / 8
_NEVER = ("security", "intervention")
_STATUS = "the server responded with a status of"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Complaint:
    """A message of the console: `source` is who complains, such as `javascript`, `security` or `network`."""

    level: str
    source: str
    message: str

    def is_wrong(self) -> bool:
        """Return whether a page without faults has no such message.

        Beside the network's complaints, all errors are, whatever the browser says of security, and what it does not
        let the page do. A refusal by the API, and that there is no network, is for the page to show; that a file of the
        page is missing is a fault.
        """
        if self.source == "network":
            return _STATUS in self.message and "/api/" not in self.message
        return self.level == "SEVERE" or self.source in _NEVER


def missing_programs() -> list[str]:
    """Return what has to be installed before a Chromium can be started."""
    wanted = {"chromium": "chromium", "chromedriver": "chromium-driver"}
    return [package for program, package in wanted.items() if shutil.which(program) is None]


class Chromium:
    """One browser with one window, until it is closed."""

    def __init__(self, folder: Path, *flags: str, language: str = "en-GB") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / f"net-{len(list(folder.glob('net-*')))}.json"
        self._complaints: list[Complaint] = []
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
        for flag in (*_FLAGS, *sandbox, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={self._log}", *flags):
            options.add_argument(flag)
        options.add_experimental_option("prefs", {"intl.accept_languages": language})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, Driver(shutil.which("chromedriver")))
        self._is_open = True

    def open(self, address: str) -> None:
        """Open an address."""
        self.driver.get(address)

    def close(self) -> None:
        """End the browser, once what its page complained of has been taken down; one that has ended stays ended."""
        if self._is_open:
            self.complaints()
            self._is_open = False
            self.driver.quit()

    def crash(self) -> None:
        """End the browser at once, as it ends when the battery is empty."""
        self.complaints()
        self._is_open = False
        with suppress(WebDriverException):
            self.devtools("Browser.crash")
        self.driver.quit()

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page and return what it returns."""
        return self.driver.execute_script(script, *arguments)

    def devtools(self, command: str, **parameters: object) -> Any:
        """Send a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def until(self, condition: Callable[[], T]) -> T:
        """Return the first true value of a condition, which has to come within PATIENCE seconds."""
        return WebDriverWait(self.driver, PATIENCE, _LOOK_EVERY).until(lambda _: condition())

    def shows(self, text: str) -> None:
        """Wait until a person can read this text on the page."""
        self.until(lambda: text in self.run("return document.body.innerText"))

    def resize(self, width: int, height: int, *, scale: float = 1, mobile: bool = False) -> None:
        """Give the page a screen of so many CSS pixels, with `scale` dots in each; a mobile one is touched."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile}
        self.devtools("Emulation.setDeviceMetricsOverride", **size)
        self.devtools("Emulation.setTouchEmulationEnabled", enabled=mobile)

    def be_a_phone(self) -> None:
        """Take the screen of a usual phone."""
        self.resize(360, 740, scale=3, mobile=True)

    def prefer(self, **features: str) -> None:
        """Take what a person prefers: `color_scheme="dark"`, `reduced_motion="reduce"`, `contrast="more"`."""
        told = [{"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]
        self.devtools("Emulation.setEmulatedMedia", features=told)

    def go_offline(self) -> None:
        """Take the network away from the page; its service worker still has one, unless the service ends as well."""
        self._limit_network(offline=True)

    def go_online(self) -> None:
        """Give the network back, as fast as it is."""
        self._limit_network()

    def slow_down(self, *, latency: float = 150, kilobits: float = 1600, processor: float = 4) -> None:
        """Become a slow phone: milliseconds of latency, kilobits a second, a processor so many times slower."""
        self._limit_network(latency=latency, kilobits=kilobits)
        self.devtools("Emulation.setCPUThrottlingRate", rate=processor)

    def switch_off_scripts(self) -> None:
        """Open pages without JavaScript from now on."""
        self.devtools("Emulation.setScriptExecutionDisabled", value=True)

    def save_screenshot(self, path: Path) -> None:
        """Write what is on the screen to a PNG file."""
        self.driver.save_screenshot(str(path))

    def complaints(self) -> list[Complaint]:
        """Return all that was written to the console of the page so far."""
        for entry in self.driver.get_log("browser"):  # type: ignore[no-untyped-call]  # it is not annotated
            self._complaints.append(Complaint(entry["level"], entry["source"], entry["message"]))
        return list(self._complaints)

    def faults(self) -> list[Complaint]:
        """Return the messages that a page without faults does not have."""
        return [complaint for complaint in self._complaints if complaint.is_wrong()]

    def net_log(self) -> NetLog:
        """Return what went over the network so far; it is complete once the browser is closed."""
        return read_net_log(self._log)

    def _limit_network(self, *, offline: bool = False, latency: float = 0, kilobits: float = 0) -> None:
        throughput = kilobits * _KILOBIT or -1
        self.devtools("Network.enable")
        self.devtools(
            "Network.emulateNetworkConditions",
            offline=offline,
            latency=latency,
            downloadThroughput=throughput,
            uploadThroughput=throughput,
        )
