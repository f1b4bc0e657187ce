"""Content negotiation of encodings: whether a client wants its answer compressed (RFC 9110, clause 12.5.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_ELEMENT = re.compile(r"[ \t]*([!#$%&'*+.^_`|~0-9a-z-]+)[ \t]*(?:;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?[ \t]*")
"""A coding with its weight (RFC 9110, clause 12.4.2); an element that is none is left out."""
_GZIP, _ALSO_GZIP, _IDENTITY, _ANY = "gzip", "x-gzip", "identity", "*"


def wants_gzip(accepted: Iterable[str]) -> bool:
    """Return whether gzip is accepted and no less welcome than no encoding, by the lines of Accept-Encoding.

    A client that sends none may not know any encoding, and gets none.
    """
    weights = dict(_weights(accepted))
    gzipped = weights.get(_GZIP, weights.get(_ALSO_GZIP, weights.get(_ANY, 0.0)))
    return gzipped > 0 and gzipped >= weights.get(_IDENTITY, 0.0)


def _weights(accepted: Iterable[str]) -> Iterator[tuple[str, float]]:
    for element in ",".join(accepted).lower().split(","):
        if (found := _ELEMENT.fullmatch(element)) is not None:
            yield found[1], float(found[2] or 1)
