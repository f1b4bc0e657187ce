"""The scans that named no product, in the database: at most MOST_KEPT, the longest unseen goes first."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from barcodesvc.errors import Reason, ServiceError
from barcodesvc.fields import described
from barcodesvc.store.database import Database
from barcodesvc.store.script import Script, one, run

MOST_KEPT = 1000


class UnknownScanNotFound(ServiceError, status=404, code="VALIDATION_ERROR", reason=Reason.NOT_FOUND):
    """No unknown scan has this id."""

    about = "The id that no unknown scan has."

    resource: Annotated[Literal["unknown_scan"], described("What was not found.", "unknown_scan")] = "unknown_scan"
    id: Annotated[int, described("The id that no unknown scan has.", 4711)]


@dataclass(slots=True)
class Sightings:
    """How often a text was scanned, and when first and last."""

    scans: int
    first_seen: str
    last_seen: str


class KeptScan(NamedTuple):
    """A scan that named no product."""

    id: int
    text: str
    scans: int
    first_seen: str
    last_seen: str


def keep(seen: Mapping[str, Sightings]) -> Script[None]:
    """Add scans to those that are kept. They come in one order, so that two replicas do not wait for each other."""
    for text in sorted(seen):
        one_text = seen[text]
        yield run(
            "put_unknown_scan",
            text=_stored(text),
            scans=one_text.scans,
            first_seen=one_text.first_seen,
            last_seen=one_text.last_seen,
        )
    yield run("forget_unknown_scans", most=MOST_KEPT)


def _stored(text: str) -> str:
    """Return a text as JSON in UTF-8, which fits into an entry of an index; with escapes it may not."""
    return json.dumps(text, ensure_ascii=False).encode(errors="replace").decode()


async def list_kept(database: Database, limit: int, offset: int) -> tuple[list[KeptScan], int]:
    """Return those that were seen last, newest first, and how many there are."""
    found = await database.rows("list_unknown_scans", limit=limit, offset=offset)
    row = await database.row("count_unknown_scans")
    return [KeptScan(key, json.loads(text), *seen) for key, text, *seen in found], row[0] if row else 0


def forget(scan_id: int) -> Script[str]:
    """Delete one scan, and return its text; raises UnknownScanNotFound."""
    row = yield one("delete_unknown_scan", id=scan_id)
    if row is None:
        raise UnknownScanNotFound(f"there is no unknown scan with id {scan_id}", id=scan_id)
    return str(json.loads(row[0]))


def forget_known(scan_ids: Iterable[int]) -> Script[None]:
    """Delete the scans that name products by now."""
    for scan_id in scan_ids:
        yield one("delete_unknown_scan", id=scan_id)


def forget_all() -> Script[int]:
    """Delete all of them, and return their number."""
    count: int = yield run("delete_unknown_scans")
    return count
