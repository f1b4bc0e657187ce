"""A headless Chromium with the page: the device as a person has it (size, colours, language, network), and its logs.

It is Debian's, with its driver; Selenium gets the paths of both, so it searches and downloads nothing. It can reach no
other host. `started` starts a process with its profile in a folder that the caller gives: another Chromium on the same
folder finds what the first has stored. `SharedChromium` starts one process for many browser contexts, one after the
other: each has its own storage, cookies, caches and service workers, and is deleted at its end. Its program is the
headless shell, which costs half the processor time because it has no toolbars; only Chromium shows PDFs.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import urlopen

from selenium import webdriver
from selenium.common.exceptions import (
    JavascriptException,
    SessionNotCreatedException,
    StaleElementReferenceException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.support.wait import WebDriverWait
from websocket import create_connection

from tests.browser.net_log import NetLog, read_net_log

PATIENCE = 20.0
"""Seconds within which an expected change must be visible."""
_LOOK_EVERY = 0.05
SHOP = "shop.lan"
"""A name for the service that is not a secure origin over plain HTTP, as for a phone in a shop's network."""
_NO_OTHER_HOST = f"MAP {SHOP} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
_FLAGS = (
    "--disable-gpu",  # emulating one takes a sixth of the processor time
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--mute-audio",
    f"--host-resolver-rules={_NO_OTHER_HOST}",
)
_HEADLESS = "--headless=new"
_FEW_PROCESSES = ("--in-process-gpu", "--renderer-process-limit=1", "--disable-features=SpareRendererForSitePerProcess")
"""They save a tenth of the processor time; a camera misses pictures with them."""
CHROMIUM = "chromium"
HEADLESS_SHELL = str(Path(__file__).with_name("headless-shell"))
"""The programs of a shared process."""
_KILOBIT = 1000 / 8
_MARK = "http://mark-"
_SHOWN = """
const log = performance.getEntriesByType('resource').slice(-5).map(({ name, duration }) => [name, duration])
return JSON.stringify([location.href, document.visibilityState, document.body?.innerText.slice(0, 2000), log])
"""
_WAIT = """
const given = [...arguments], done = given.pop(), condition = function () { %s };
const look = (looks) => {
  const found = condition(...given);
  if (found || looks === 0) done(found || null);
  else scheduler.postTask(() => look(looks - 1), { delay: 30 }); // tests change setTimeout, and clocks
};
look(600);
"""
_ASK = "return fetch(arguments[0]).catch(() => true)"
_NEVER = ("security", "intervention")
_STATUS = "the server responded with a status of"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Complaint:
    """A message of the console: `source` says where it comes from, such as `javascript`, `security` or `network`."""

    level: str
    source: str
    message: str

    def is_wrong(self) -> bool:
        """Return whether a page without faults has no such message.

        This covers all errors other than the network's, everything that the browser reports about security, and
        everything that it blocks. The page itself reports a refusal by the API or a missing network; a missing file of
        the page is a fault.
        """
        if self.source == "network":
            return _STATUS in self.message and "/api/" not in self.message
        return self.level == "SEVERE" or self.source in _NEVER


def missing_programs() -> list[str]:
    """Return what has to be installed before Chromium can start."""
    wanted = {"chromium": "chromium", "chromium-headless-shell": "chromium-headless-shell"}
    wanted["chromedriver"] = "chromium-driver"
    return [package for program, package in wanted.items() if shutil.which(program) is None]


class Chromium:
    """One browser with one window, until it is closed by `end`; `net_log` returns what went over the network so far."""

    def __init__(self, driver: webdriver.Chrome, net_log: Callable[[], NetLog], end: Callable[[], None]) -> None:
        self.driver = driver
        self.net_log = net_log
        self._end = end
        self._complaints: list[Complaint] = []
        self._is_open = True

    def open(self, address: str) -> None:
        """Open an address."""
        self.driver.get(address)

    def close(self) -> None:
        """Close the browser, after recording what its page complained of; closing it twice does nothing."""
        if self._is_open:
            self.complaints()
            self._is_open = False
            self._end()

    def crash(self) -> None:
        """Kill the browser, as when the battery is empty."""
        self.complaints()
        self._is_open = False
        with suppress(WebDriverException):
            self.devtools("Browser.crash")
        self._end()

    def open_tab(self) -> None:
        """Open one more tab of the same profile, and go on in it."""
        before = set(self.driver.window_handles)
        self.run("window.open('about:blank', '_blank', 'noopener')")
        [tab] = set(self.driver.window_handles) - before
        self.driver.switch_to.window(tab)

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page and return what it returns."""
        return self.driver.execute_script(script, *arguments)

    def devtools(self, command: str, **parameters: object) -> Any:
        """Send a command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def until(self, condition: Callable[[], T]) -> T:
        """Return the first true value of a condition, within PATIENCE seconds; the error quotes what the page shows.

        A condition that meets an element which has just been redrawn is looked at again.
        """
        redrawn = (StaleElementReferenceException,)
        try:
            return WebDriverWait(self.driver, PATIENCE, _LOOK_EVERY, redrawn).until(lambda _: condition())
        except TimeoutException:
            raise TimeoutException(f"not within {PATIENCE} s; the page shows {self.run(_SHOWN)}") from None

    def found(self, script: str, *arguments: object) -> Any:
        """Return the first true value of a script that the page itself runs every 30 ms, as `until` does."""

        def waited() -> Any:
            try:
                return self.driver.execute_async_script(_WAIT % script, *arguments)
            except JavascriptException as left:
                if "unloaded" not in str(left):
                    raise
                return None  # wait in the page that has replaced it

        return self.until(waited)

    def shows(self, text: str) -> None:
        """Wait until this text is visible on the page."""
        self.found("return document.body?.innerText.includes(arguments[0])", text)

    def resize(self, width: int, height: int, *, scale: float = 1, mobile: bool = False) -> None:
        """Give the page a screen of this many CSS pixels, with `scale` dots in each; a mobile one has touch."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile}
        self.devtools("Emulation.setDeviceMetricsOverride", **size)
        self.devtools("Emulation.setTouchEmulationEnabled", enabled=mobile)

    def be_a_phone(self) -> None:
        """Use the screen of a usual phone."""
        self.resize(360, 740, scale=3, mobile=True)

    def prefer(self, **features: str) -> None:
        """Set what a person prefers: `color_scheme="dark"`, `reduced_motion="reduce"`, `contrast="more"`."""
        told = [{"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]
        self.devtools("Emulation.setEmulatedMedia", features=told)

    def go_offline(self) -> None:
        """Disconnect the page; its service worker still has a network, unless the service stops as well."""
        self._limit_network(offline=True)

    def go_online(self) -> None:
        """Reconnect the page at full speed."""
        self._limit_network()

    def slow_down(self, *, latency: float = 150, kilobits: float = 1600, processor: float = 4) -> None:
        """Simulate a slow phone: latency in milliseconds, kilobits a second, and how much slower the processor is."""
        self._limit_network(latency=latency, kilobits=kilobits)
        self.devtools("Emulation.setCPUThrottlingRate", rate=processor)

    def switch_off_scripts(self) -> None:
        """Open pages without JavaScript from now on."""
        self.devtools("Emulation.setScriptExecutionDisabled", value=True)

    def save_screenshot(self, path: Path) -> None:
        """Write a screenshot to a PNG file."""
        self.driver.save_screenshot(str(path))

    def complaints(self) -> list[Complaint]:
        """Return everything written to the console of the page so far."""
        for entry in self.driver.get_log("browser"):  # type: ignore[no-untyped-call]  # it is not annotated
            self._complaints.append(Complaint(entry["level"], entry["source"], entry["message"]))
        return list(self._complaints)

    def faults(self) -> list[Complaint]:
        """Return the messages that a page without faults does not have."""
        return [complaint for complaint in self._complaints if complaint.is_wrong()]

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


def started(
    folder: Path,
    *flags: str,
    language: str = "en-GB",
    preferences: Mapping[str, object] | None = None,
    headless: bool = True,
) -> Chromium:
    """Start a Chromium with a profile in this folder; its log of the network is complete once it is closed.

    If it is not headless, it needs a display, and can print.
    """
    log = _new_log(folder)
    flags = (_HEADLESS, *flags) if headless else flags
    options = _options(folder, log, flags, {"intl.accept_languages": language, **(preferences or {})})
    driver = _started(options)
    return Chromium(driver, partial(read_net_log, log), driver.quit)


def _started(options: webdriver.ChromeOptions) -> webdriver.Chrome:
    """Start a browser, once more if it ends before it can be spoken with, as now and then on a busy machine."""
    try:
        return webdriver.Chrome(options, _driver())
    except SessionNotCreatedException:
        return webdriver.Chrome(options, _driver())


class SharedChromium:
    """A process with one fresh browser context at a time; the complaints and logs of each are kept apart."""

    def __init__(self, folder: Path, language: str = "en-GB", program: str = HEADLESS_SHELL) -> None:
        self._log = _new_log(folder)
        flags = (_HEADLESS, *_FEW_PROCESSES, f"--lang={language}", f"--accept-lang={language}")
        options = _options(folder, self._log, flags, {}, program)
        self._driver = _started(options)
        self._driver.get("about:blank")
        self._window = self._driver.current_window_handle
        self._targets = _Targets(self._driver.capabilities["goog:chromeOptions"]["debuggerAddress"])
        self._marks = 0
        self._begin = 0

    def fresh(self) -> Chromium:
        """Return a window in a new context; its log of the network is complete once it is closed."""
        self._driver.get_log("browser")  # type: ignore[no-untyped-call]  # it is not annotated
        context = self._targets.call("createBrowserContext")["browserContextId"]
        window = self._targets.call("createTarget", url="about:blank", browserContextId=context, newWindow=True)
        self._driver.switch_to.window(window["targetId"])
        return Chromium(self._driver, partial(self._net_log, self._begin), partial(self._end, context))

    def close(self) -> None:
        """End the process."""
        self._targets.close()
        self._driver.quit()

    def _end(self, context: str) -> None:
        self._targets.call("disposeBrowserContext", browserContextId=context)
        self._driver.switch_to.window(self._window)
        self._begin = self._logged()

    def _net_log(self, begin: int) -> NetLog:
        log = read_net_log(self._log, begin)
        return replace(log, requests=tuple(one for one in log.requests if not one.url.startswith(_MARK)))

    def _logged(self) -> int:
        """Return the length of the log once it holds all that has happened so far.

        Chromium writes some events at a time, so an address without a host is asked for until that is in the log.
        """
        self._marks += 1
        mark, size = f"{_MARK}{self._marks}.invalid/", self._log.stat().st_size
        WebDriverWait(self._driver, PATIENCE, _LOOK_EVERY).until(
            lambda driver: driver.execute_script(_ASK, mark) and mark in _behind(self._log, size)
        )
        return self._log.stat().st_size


class _Targets:
    """The DevTools protocol's `Target` of a whole browser, which a driver does not reach: it speaks with one page."""

    def __init__(self, address: str) -> None:
        with urlopen(f"http://{address}/json/version") as response:
            self._socket = create_connection(json.load(response)["webSocketDebuggerUrl"], suppress_origin=True)
        self._calls = count(1)

    def call(self, command: str, **parameters: object) -> Any:
        """Send a command and return its result; raises KeyError for one that fails."""
        number = next(self._calls)
        self._socket.send(json.dumps({"id": number, "method": f"Target.{command}", "params": parameters}))
        while (received := json.loads(self._socket.recv())).get("id") != number:
            pass  # an event
        return received["result"]

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def _behind(log: Path, size: int) -> str:
    with log.open("rb") as file:
        file.seek(size)
        return file.read().decode("utf-8", "replace")


def _new_log(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"net-{len(list(folder.glob('net-*')))}.json"


def _options(
    folder: Path, log: Path, flags: Iterable[str], preferences: Mapping[str, object], program: str = CHROMIUM
) -> webdriver.ChromeOptions:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which(program) or ""
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
    for flag in (*_FLAGS, *sandbox, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", *flags):
        options.add_argument(flag)
    options.add_experimental_option("prefs", dict(preferences))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return options


def _driver() -> Driver:
    return Driver(shutil.which("chromedriver"))
