"""Limits and names that the web app gets from the service: its shell carries them, as JSON.

Without them a field of the web app accepts what the service refuses, or refuses what it accepts. Rule: each is the
constant that validates requests; what needs the settings is not among them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from barcodesvc.api.resources.list_parameters import LARGEST_PAGE_SIZE
from barcodesvc.api.resources.movements import LARGEST_HISTORY_SIZE
from barcodesvc.api.resources.products import MOST_IDS
from barcodesvc.api.resources.scans import LONGEST_SCAN
from barcodesvc.labels.layout_requests import (
    ARRANGEMENT,
    CORRECTIONS,
    GREATEST_OFFSET,
    GREATEST_SCALE,
    LEAST_SCALE,
    LONGEST_NAME as LONGEST_LAYOUT_NAME,
    MOST_LABELS,
    MOST_LINES,
)
from barcodesvc.labels.sheets import GREATEST_PAGE_SIDE, LEAST_LABEL_SIDE, PAGE_SIZES
from barcodesvc.models import (
    LONGEST_AUTHOR,
    LONGEST_NAME,
    LONGEST_REASON,
    LONGEST_SHORT_TEXT,
    LONGEST_VALUE,
    MOST_ATTRIBUTES,
)
from barcodesvc.store.products import FIRST_REASON
from barcodesvc.texts import LONGEST_CODE, LONGEST_TEXT

PAGE_LIMITS: Mapping[str, Any] = MappingProxyType(
    {
        "code": LONGEST_CODE,
        "scan": LONGEST_SCAN,
        "description": LONGEST_TEXT,
        "short_text": LONGEST_SHORT_TEXT,
        "search": LONGEST_TEXT,
        "author": LONGEST_AUTHOR,
        "reason": LONGEST_REASON,
        "first_reason": FIRST_REASON,
        "attributes": {"most": MOST_ATTRIBUTES, "name": LONGEST_NAME, "value": LONGEST_VALUE},
        "ids": MOST_IDS,
        "page": LARGEST_PAGE_SIZE,
        "movements": LARGEST_HISTORY_SIZE,
        "labels": MOST_LABELS,
        "layout_name": LONGEST_LAYOUT_NAME,
        "lines": MOST_LINES,
        "offset": [-GREATEST_OFFSET, GREATEST_OFFSET],
        "scale": [LEAST_SCALE, GREATEST_SCALE],
        "arrangement": ARRANGEMENT,
        "corrections": CORRECTIONS,
        "roll": [LEAST_LABEL_SIDE, GREATEST_PAGE_SIDE],
        "pages": {name: [page.width, page.height] for name, page in PAGE_SIZES.items()},
    }
)
"""Numbers of characters or entries; `offset` and `roll` are from and to, in mm; `pages` are width and height in mm."""
