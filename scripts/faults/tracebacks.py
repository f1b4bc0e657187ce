"""What a service has logged with a traceback, short enough to print with a figure that misses its target."""

import re
from collections import Counter

_MOST_KINDS = 5
_MOST_LINES = 60
"""Of each kind the first line and the last ones, because a traceback ends with the error."""
_RECORDS = re.compile(r"^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} )", re.MULTILINE)


def shown(logged: str) -> str:
    """Return the records of a log that contain a traceback, each kind once with its number; "" without any."""
    records = [record.rstrip() for record in _RECORDS.split(logged) if "Traceback" in record]
    often = Counter(_below(record) for record in records)
    first = {_below(record): record for record in reversed(records)}
    return "\n".join(f"{number} x {_cut(first[kind])}" for kind, number in often.most_common(_MOST_KINDS))


def _below(record: str) -> str:
    return record.partition("\n")[2]


def _cut(record: str) -> str:
    head, *below = record.split("\n")
    return "\n".join([head, *below[-_MOST_LINES:]])
