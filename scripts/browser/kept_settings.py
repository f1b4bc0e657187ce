"""Settings that a person has made on the device before."""

from __future__ import annotations

import json

from scripts.browser.chromium import Chromium

_KEPT = "localStorage['barcodesvc.settings'] ??= {}"


def keep_settings(browser: Chromium, **settings: object) -> None:
    """Let the page find these settings if it has stored none itself."""
    kept = json.dumps(json.dumps(settings))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_KEPT.replace("{}", kept))
