"""Settings that a person has made on the device before."""

import json

from tests.browser.chromium import Chromium

_KEPT = """
try {
  const kept = JSON.parse(localStorage["barcodesvc.settings"] ?? "{}");
  localStorage["barcodesvc.settings"] = JSON.stringify({ ...SETTINGS, ...kept });
} catch {
  // a page without storage
}
"""


def keep_settings(browser: Chromium, **settings: object) -> None:
    """Let the page find these settings if it has stored no others itself."""
    source = _KEPT.replace("SETTINGS", json.dumps(settings))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=source)
