"""A scan meets the catalogue: candidates from `scan`, one statement in `store`, the first rule that fits wins.

A candidate counts only if exactly one product fits it; the exact rules compare a unique column and cannot be
ambiguous.
"""

from __future__ import annotations

from dataclasses import dataclass

from barcodesvc.errors import ProductNotFound
from barcodesvc.scan.resolve import Match, candidates
from barcodesvc.store.database import Database
from barcodesvc.store.products import Found, resolve


@dataclass(frozen=True, slots=True)
class Decoded:
    """The product that a scan names, and the rule that found it."""

    found: Found
    match: Match


async def decode(database: Database, code_data: str) -> Decoded:
    """Return the product that a scan names; raises ProductNotFound."""
    ranked = candidates(code_data)
    found = await resolve(database, [(candidate.key.value, candidate.value) for candidate in ranked])
    if found is None:
        raise ProductNotFound("no product fits the scanned code")
    return Decoded(found, ranked[found.place - 1].match)
