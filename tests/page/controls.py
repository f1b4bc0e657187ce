"""The controls of the page as a person finds them: by name, among the visible ones, first in an open dialog."""

from pathlib import Path

from selenium.common.exceptions import ElementClickInterceptedException
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

from tests.browser.chromium import Chromium
from tests.browser.keyboard import type_at_once
from tests.workbooks import xlsx

_OF_A_PERSON = 0.13
"""Seconds between two keys; a scanner is faster."""
_TURNING = 0.7
"""Seconds in which a person turns from digits to the scanner."""
_FIND = """
const [kind, name] = arguments;
const roles = { button: 'button, label.button, summary', link: 'a[href]', field: 'input, select, textarea' };
const nameOf = (node) => node.getAttribute('aria-label') ??
  (kind === 'field' ? [...(node.labels ?? [])].map((label) => label.innerText).join(' ') : node.innerText) ?? '';
const within = (root) => [...root.querySelectorAll(roles[kind])].filter((node) => node.checkVisibility())
  .find((node) => nameOf(node).trim().startsWith(name));
const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
return (dialog && within(dialog)) ?? within(document) ?? null;
"""
_TO_THE_MIDDLE = "arguments[0].scrollIntoView({ block: 'center' })"
_DROP = """
const [bytes, name] = arguments;
const transfer = new DataTransfer();
transfer.items.add(new File([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))], name));
for (const type of ['dragenter', 'dragover', 'drop']) {
  document.querySelector('h1').dispatchEvent(
    new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}
"""
SOUND_AT_ONCE = "AudioContext.prototype.resume = async () => {};"
"""A busy machine takes so long to begin to play that the page drops the sound."""
RECORD_SOUNDS = (
    SOUND_AT_ONCE
    + """
window.heard = [];
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...at) { heard.push(this.frequency.value); return start.apply(this, at); };
"""
)
BAD_SOUND = "return heard.some((one) => one < 300)"
INSTALLED = "return navigator.serviceWorker.ready.then(() => caches.keys()).then((all) => all.length)"


def other_timers(time: str) -> str:
    """Return a script after which timers take another time: an expression of `time`, in milliseconds."""
    return f"""{{
const wait = setTimeout;
window.setTimeout = (run, time, ...given) => wait(run, {time}, ...given);
}}"""


def hurry(browser: Chromium) -> None:
    """Have pages load what comes three seconds after their first view at once: remaining files, the service worker."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=other_timers("time === 3000 ? 50 : time"))


def await_service(browser: Chromium) -> None:
    """Have pages wait as long as it takes for whether the shop is empty, however busy the machine is."""
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=other_timers("time === 1500 ? 60_000 : time"))


def control(browser: Chromium, kind: str, name: str) -> WebElement:
    """Return the first `button`, `link` or `field` whose name begins this way, once it is there."""
    found: WebElement = browser.found(_FIND, kind, name)
    return found


def press(browser: Chromium, name: str, kind: str = "button") -> None:
    """Press a button or a checkbox, or follow a link, once possible."""
    browser.until(lambda: _is_pressed(browser, control(browser, kind, name)))


def _is_pressed(browser: Chromium, found: WebElement) -> bool:
    """Press an element if it is possible now."""
    browser.run(_TO_THE_MIDDLE, found)
    if not found.is_enabled():
        return False
    try:
        found.click()
    except ElementClickInterceptedException:  # the view has moved since it was scrolled, by a picture that arrived
        return False
    return True


def write(browser: Chromium, name: str, text: str) -> None:
    """Replace the text of a field by keys that are as far apart as a person's; none of this time is waited for."""
    field = control(browser, "field", name)
    browser.until(lambda: _is_pressed(browser, field))
    actions = ActionBuilder(browser.driver)
    actions.key_action.key_down(Keys.CONTROL).key_down("a").key_up("a").key_up(Keys.CONTROL)
    actions.key_action.key_down(Keys.BACKSPACE).key_up(Keys.BACKSPACE)
    actions.perform()
    type_at_once(browser, text)


def keys(browser: Chromium, *texts: str) -> None:
    """Type into the focused element as fast as a person, who pauses after a scan, too: the scanner may still end it."""
    actions = ActionBuilder(browser.driver)
    actions.key_action.pause(_OF_A_PERSON)  # type: ignore[arg-type]  # as below
    for key in "".join(texts):
        actions.key_action.key_down(key).key_up(key).pause(_OF_A_PERSON)  # type: ignore[arg-type]  # parts of seconds too
    if "".join(texts)[-1:].isdigit():
        actions.key_action.pause(_TURNING)  # type: ignore[arg-type]
    actions.perform()


def choose(browser: Chromium, name: str, option: str) -> None:
    """Choose an option of a list by its visible text."""
    Select(control(browser, "field", name)).select_by_visible_text(option)


def drop(browser: Chromium, content: str, name: str) -> None:
    """Drop a file on the title of the view; its content is given in base64."""
    browser.run(_DROP, content, name)


def workbook(folder: Path, *rows: tuple[str | float, ...], name: str = "shop.xlsx") -> Path:
    """Write a workbook of these rows and return its path."""
    (folder / name).write_bytes(xlsx(rows))
    return folder / name
