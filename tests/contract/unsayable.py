"""What JSON Schema cannot say of this API; schemathesis loads this and takes what is named here for no finding.

The document states each rule in words. Whatever else is refused though it fits its schema is a finding.
"""

import re
from typing import Any

import schemathesis
from schemathesis.checks import load_all_checks
from schemathesis.core.failures import Failure
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from barcodesvc.texts import UNSEEN_AT_ENDS, clean_text

load_all_checks()

_UNREADABLE = ("INVALID_FILE_FORMAT", "FILE_TOO_LARGE")
"""Codes of a refused file: a schema takes any bytes."""
_RULES = {
    r".*": r"Input should be a valid integer|control character U\+",  # such as 1.0, and a tab inside a line
    r"description|attributes\..+": r"String should have at least 1 character",  # none that can be seen
    r"attributes": r"would be \d+ attributes|a catalogue has at most",  # with those that are stored
    r"width|size": r"\w+ and module_mm both say how large",  # of query parameters none can exclude another
    r"maximum_level": r"maximum_level \d+ is below minimum_level",
    r"product_code": r"a product has at most|all codes of",  # depends on what is stored
    r"delta_from": r"needs a delta|the code has no weight",
    r"id": r"this scan is no code",
    r"body": r"nothing to change",
    r"to_date": r"is before from_date",
    r"delimiter": r"only a CSV has one",
    r"refused": r"only with dry_run=true",
    r"encoding": r"only a text file has one|.* is not a known encoding",
    r"after": r"before lists older changes",
    r"idempotency_key": r"differs from the key in the header",
    r"new_level": r"give either delta or new_level",
    r"ids": r"\d+ ids; a request has at most|cannot be sent with",
    r"scanned_at": r"is more than",
    r"scanned_ago_ms": r"is more than|give either scanned_at",
    r"image_base64": r"not base64",
    r"products": r"\d+ labels with all copies",
    r"map|sheet": r"no (header|column|such sheet)",  # what a file needs depends on its content
    r"layout\.\w+": r".*",  # measures that disagree with each other, with the sheet or with the page
    r"page_size|labels?_\w+|margin_\w+|pitch_\w+|start_position|offset_\w": r".*",  # the same of a saved layout
    r"payload\.\d+": r"\(\d+\) is not a GS1 application identifier",  # one of hundreds
    r"output": r"zpl is for rolls",  # which depends on the sheet
    r"name": r"a layout is saved under the name in the path",
}
"""Messages by fields: what is wrong follows from another field, from what is stored, or is no part of a schema."""
_LONGEST_SHORT_TEXT = 64
_BATCHES = ("/api/codes/batch", "/api/codes/scans")


def _is_unsayable(problem: dict[str, Any]) -> bool:
    return any(
        re.fullmatch(field, problem["field"]) and re.match(message, problem["message"])
        for field, message in _RULES.items()
    )


@schemathesis.check
def acceptance_as_far_as_sayable(ctx: Any, response: Any, case: Any) -> None:
    """Require that what fits its schema is accepted, unless a rule refuses it that no schema can say."""
    try:
        positive_data_acceptance(ctx, response, case)
    except Failure:
        if response.status_code != 400:
            raise
        refusal = response.json()
        problems = refusal["details"].get("errors", [])
        has_rule = "rule" in refusal["details"] or any("rule" in problem for problem in problems)
        if refusal["code"] not in _UNREADABLE and not has_rule and not (problems and all(map(_is_unsayable, problems))):
            raise


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for entry in value.values() for text in _texts(entry)]
    if isinstance(value, list):
        return [text for entry in value for text in _texts(entry)]
    return [value] if isinstance(value, str) else []


@schemathesis.check
def rejection_as_far_as_sayable(ctx: Any, response: Any, case: Any) -> None:
    """Require that what breaks its schema is refused, unless a text is too long by white space that is taken away.

    An entry of a batch is refused in its envelope.
    """
    try:
        negative_data_rejection(ctx, response, case)
    except Failure:
        if case.path not in _BATCHES and not any(
            len(text) > _LONGEST_SHORT_TEXT and {clean_text(text), text.strip(UNSEEN_AT_ENDS)} != {text}
            for text in _texts([case.body, case.query])
        ):
            raise
