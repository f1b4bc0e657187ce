"""GS1 Digital Link: a web address that carries a GTIN in its path.

    https://example.com/any/prefix/01/03178040638617/10/L2307A?17=271231#part

Any host, port and path prefix may stand in front (GS1 Digital Link Standard, URI Syntax), even a prefix
that looks like an AI; so the last pair of segments that is a key and a GTIN counts. Qualifiers, query and
fragment never name another trade item. Two deprecated spellings still stand on packs: `/gtin/` for `/01/`,
and a GTIN of 8, 12 or 13 digits without its zeros in front.
"""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import unquote

from barcodesvc.gtin import gtin14

_WEB_ADDRESS = re.compile(r"https?://[^/?#]+/([^?#]*)", re.IGNORECASE)
_GTIN_KEYS = frozenset({"01", "gtin"})


def gtin_of_link(text: str) -> str | None:
    """Return the GTIN-14 in the path of a Digital Link, None if the text is no such link."""
    address = _WEB_ADDRESS.match(text)
    if address is None:
        return None
    segments = [unquote(segment) for segment in address[1].split("/")]
    gtins = [gtin14(value) for key, value in pairwise(segments) if key.lower() in _GTIN_KEYS]
    return next(filter(None, reversed(gtins)), None)
