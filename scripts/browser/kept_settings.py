"""Settings of a device that somebody has made before."""

from __future__ import annotations

import json

from scripts.browser.chromium import Chromium

_KEPT = "localStorage['barcodesvc.settings'] ??= {}"


def keep_settings(browser: Chromium, **settings: object) -> None:
    """Let the page find these settings where it has kept none itself."""
    kept = json.dumps(json.dumps(settings))
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=_KEPT.replace("{}", kept))
