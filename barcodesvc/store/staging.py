"""Staging: the rows of an import are written to a file first, then merged into the catalogue by set statements.

    with database.staging(path) as file:            # in any process; needs no catalogue
        StagedRows(file).put([(number, draft, filled), ...])
    await database.change_long(script, staged=path)  # composed of the scripts below, chunk by chunk

Statements alone merge the rows, inside one transaction and without the interpreter lock: a hundred thousand rows cost
the event loop nothing. Row by row, an import would delay every other change many times as long. Only what searches look
at is derived here for products that keep attributes besides those of their rows, some products at a time.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

from pydantic_core import from_json, to_json

from barcodesvc import fields
from barcodesvc.fields import described
from barcodesvc.made_codes import MadeCodes
from barcodesvc.models import DEFAULT_UNIT, MAX_ID, MAX_LEVEL, ProductDraft
from barcodesvc.numbers.code_keys import NO_KEYS, code_keys
from barcodesvc.product_codes import FORMER_CODE
from barcodesvc.store import codes
from barcodesvc.store.attributes import attributes_in, stored_text
from barcodesvc.store.codes import SYSTEM, StoredCode
from barcodesvc.store.database import StagedFile
from barcodesvc.store.made_codes import MOST_TRIED, make_codes
from barcodesvc.store.products import FIRST_REASON, TEXTS_AT_ONCE, search_keys
from barcodesvc.store.script import Script, one, rows, run
from barcodesvc.texts import searched_text

CHUNK = 2000
"""Rows that one statement merges, in about 20 ms; progress is reported in between."""


@dataclass(frozen=True, slots=True)
class OtherCode:
    """A further code of a product, as a row of an import has it."""

    code: Annotated[str, described("The code, which no other product has.", "4006381333948")]
    pack_quantity: fields.PackQuantity = 1
    note: Annotated[str, described("What the code is, in words for people.", "box of six")] = ""


class ValidRow(NamedTuple):
    """The number of a row in its spreadsheet, its product, the fields of the draft that it fills in, and further codes.

    `other_codes` is None for a blank cell.
    """

    number: int
    product: ProductDraft
    filled: frozenset[str]
    other_codes: Collection[OtherCode] | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """The staged rows at the positions above `after` up to `upto`."""

    after: int
    upto: int

    @property
    def bounds(self) -> dict[str, int]:
        """The parameters of a statement that handles these rows."""
        return {"after": self.after, "upto": self.upto}

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.upto - self.after


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A row whose product would get a maximum below its minimum, or too many attributes.

    `given_` is the row's value, None if blank; `attributes` is their number, 0 if the row has none.
    """

    number: int
    product_code: str
    description: str
    given_minimum: int | None
    given_maximum: int | None
    minimum_level: int
    maximum_level: int
    attributes: int


class TakenCode(NamedTuple):
    """A row with a code that another product has."""

    position: int
    number: int
    product_code: str
    description: str | None
    code: str
    owner: str


Outcome = Literal["imported", "updated", "skipped"]


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row of a dry run, and its product as it would then be in the catalogue."""

    row: Annotated[int, described("The number of the row in the sheet, from 1.", 2)]
    outcome: Annotated[Outcome, described("What the import would do with the row.", "imported")]
    product_code: fields.Code
    description: fields.DescriptionText
    category: fields.CategoryText
    unit_of_measure: fields.UnitText
    current_level: fields.CurrentLevel
    minimum_level: fields.MinimumLevel
    maximum_level: fields.MaximumLevel
    other_codes: Annotated[list[OtherCode], described("The further codes of the product.")]
    attributes: fields.AttributeTexts
    old_level: Annotated[int | None, described("The level before the import; null for a new product.", 25)]
    given_level: Annotated[int | None, described("The level in the row; null if it has none.", 40)]


@dataclass(frozen=True, slots=True)
class Mode:
    """What an import does with the products that exist.

    SKIP leaves them as they are; UPDATE changes the fields that rows fill in, except the level, and refuses rows whose
    minimum and maximum contradict each other; COUNT sets their levels to those of the rows, as counts of now, and
    RECEIPT adds these to them, and both change nothing else.

    `added` is 1 if the levels of rows are added to stored ones, and 0 if they replace them; `reason` is the default of
    these movements, and empty in a mode that books no levels.
    """

    name: str
    added: int = 0
    reason: str = ""

    def outcome(self, old_level: int | None, given_level: int | None) -> Outcome:
        """Return what becomes of a row that is not refused, by the level of its product before and its own."""
        if old_level is None:
            return "imported"
        books = bool(self.reason) and given_level is not None and given_level >= self.added
        return "updated" if books or self.name == "update" else "skipped"


SKIP = Mode("skip")
UPDATE = Mode("update")
COUNT = Mode("count", reason="count")
RECEIPT = Mode("receive", added=1, reason="receipt")
MODES = {mode.name: mode for mode in (SKIP, UPDATE, COUNT, RECEIPT)}


@dataclass(frozen=True, slots=True)
class Entry:
    """What an import records: its time, and the reason and the author of its movements.

    `change_reason` None means that of the mode, or of a first level. `first_id` is that of a dry run, see TRIAL_IDS;
    other imports have an `import_id` once they write.
    """

    now: str
    change_reason: str | None = None
    updated_by: str = SYSTEM
    first_id: int | None = None
    import_id: int | None = None


TRIAL_IDS = MAX_ID + 1
"""A dry run takes its ids from here on: those of a server's sequence would be lost for later products."""


class BeyondRange(NamedTuple):
    """A row that would bring the level of its product above the maximum."""

    number: int
    product_code: str
    description: str
    given_level: int
    old_level: int


class OtherName(NamedTuple):
    """A row whose description is not that of the product with its code."""

    number: int
    product_code: str
    description: str
    given_description: str


class StagedRows:
    """Appends valid rows to a staged file; `rows` counts them, `names` are those of their attributes."""

    def __init__(self, file: StagedFile) -> None:
        self._file = file
        self.rows = 0
        self.names: set[str] = set()

    def put(self, rows: Iterable[ValidRow]) -> None:
        """Append rows; no code may occur twice in the file."""
        self._file.put(map(self._staged, rows))

    def _staged(self, row: ValidRow) -> dict[str, Any]:
        number, product, filled, other_codes = row
        keys = code_keys(product.product_code) if product.product_code else NO_KEYS
        self.rows += 1
        self.names.update(product.attributes)
        return {
            "position": self.rows,
            "number": number,
            "product_code": product.product_code or None,
            "description": product.description if "description" in filled else None,
            "category": product.category if "category" in filled else None,
            "unit_of_measure": product.unit_of_measure if "unit_of_measure" in filled else None,
            **search_keys(product),
            "number_key": keys.number,
            "main_key": keys.main,
            "codabar_key": keys.codabar,
            "initial_level": product.initial_level if "initial_level" in filled else None,
            "minimum_level": product.minimum_level if "minimum_level" in filled else None,
            "maximum_level": product.maximum_level if "maximum_level" in filled else None,
            "attributes": stored_text(product.attributes),
            "other_codes": None if other_codes is None else to_json([*map(_stored_code, other_codes)]).decode(),
        }


def _stored_code(other: OtherCode) -> StoredCode:
    return codes.further_code(0, other.code, "", other.pack_quantity, other.note)


def chunks(rows: int, most: int | None = None) -> Iterator[Chunk]:
    """Yield the chunks of this many staged rows, in order, of at most so many rows, or CHUNK."""
    most = most or CHUNK
    for after in range(0, rows, most):
        yield Chunk(after, min(after + most, rows))


def begun(entry: Entry) -> Script[Entry]:
    """Return the entry with the id of its import, which a dry run does not need."""
    if entry.first_id is not None:
        return entry
    row = yield one("begin_import", now=entry.now)
    return replace(entry, import_id=row[0])


def insert_new(chunk: Chunk, entry: Entry) -> Script[list[int]]:
    """Create the products that do not exist yet, with levels and movements, and return their ids by row."""
    last = yield one("last_product_id")
    last_id = last[0] if last else 0
    ids = {**chunk.bounds, "first_id": entry.first_id, "now": entry.now}
    created = [product_id for (product_id,) in (yield rows("insert_staged_products", **ids, unit=DEFAULT_UNIT))]
    if created:
        yield run("insert_staged_codes", **chunk.bounds, last_id=last_id, now=entry.now)
        yield run("insert_staged_other_codes", **chunk.bounds, last_id=last_id, now=entry.now)
        first = {**ids, "last_id": last_id, "updated_by": entry.updated_by}
        yield run("insert_staged_levels", **first)
        reason = entry.change_reason or FIRST_REASON
        yield run("insert_staged_movements", **first, change_reason=reason, import_id=entry.import_id)
    return created


def update_stored(chunk: Chunk, now: str) -> Script[int]:
    """Update the products that exist, except for contradictions, and return their number."""
    yield run("remove_replaced_codes", **chunk.bounds, former=FORMER_CODE)
    yield run("put_replacing_codes", **chunk.bounds, now=now)
    changed: int = yield run("update_staged_products", **chunk.bounds, now=now)
    if changed:
        yield run("update_staged_levels", **chunk.bounds)
        yield from _fold_merged(chunk)
    return changed


def book_levels(chunk: Chunk, mode: Mode, entry: Entry) -> Script[int]:
    """Change the levels of the products that exist, each by one movement, and return their number."""
    yield rows("lock_staged_levels", **chunk.bounds)
    author = {"updated_by": entry.updated_by, "now": entry.now}
    booked = {**chunk.bounds, **author, "added": mode.added, "greatest_level": MAX_LEVEL}
    reason = entry.change_reason or mode.reason
    ids = {"first_id": entry.first_id, "import_id": entry.import_id}
    moved: int = yield run("insert_booked_movements", **booked, **ids, change_reason=reason)
    if moved:
        yield run("update_booked_levels", **booked)
    return moved


def name_rows(staged: int, made: MadeCodes) -> Script[None]:
    """Give the rows without a code the next ones that are made, which no product and no row has.

    Each look for codes that are taken reads all rows, so it is for many at once.
    """
    for chunk in chunks(staged, MOST_TRIED):
        positions = [position for (position,) in (yield rows("rows_without_code", **chunk.bounds))]
        if positions:
            new = yield from make_codes(made, len(positions), "codes_taken_or_staged")
            given = [codes.own_code(position, code, "") for position, code in zip(positions, new, strict=True)]
            yield run("give_codes_to_rows", given=json.dumps(given))


def leave_out_taken_codes(chunk: Chunk, mode: Mode) -> Script[list[TakenCode]]:
    """Return the rows that give a product a code of another one; the other statements no longer see them."""
    found = yield rows("rows_with_taken_codes", **chunk.bounds, updates=int(mode is UPDATE))
    taken = [TakenCode(*row) for row in found]
    if taken:
        yield run("leave_out_rows", wanted=json.dumps([row.position for row in taken]))
    return taken


def unknown_rows(chunk: Chunk) -> Script[list[tuple[int, str]]]:
    """Return the number and code of the rows without a description whose products do not exist."""
    return [(number, code) for number, code in (yield rows("unknown_rows", **chunk.bounds))]


def rows_beyond_range(chunk: Chunk) -> Script[list[BeyondRange]]:
    """Return the rows that a receipt leaves out, because the level would be too high."""
    found = yield rows("rows_beyond_range", **chunk.bounds, greatest_level=MAX_LEVEL)
    return [BeyondRange(*row) for row in found]


def rows_of_other_names(chunk: Chunk, most: int) -> Script[list[OtherName]]:
    """Return the first rows whose description is not that of their product, at most this many."""
    found = yield rows("rows_of_other_names", **chunk.bounds, most=most)
    return [OtherName(*row) for row in found]


def _fold_merged(chunk: Chunk) -> Script[None]:
    """Fold the texts of the products that keep attributes besides those of their rows, some at a time."""
    bounds = {**chunk.bounds, "limit": TEXTS_AT_ONCE}
    while found := (yield rows("merged_texts", **bounds)):
        folded = {product_id: searched_text(text, attributes_in(stored)) for _, product_id, text, stored in found}
        yield run("put_folded_descriptions", given=json.dumps(folded))
        bounds["after"] = found[-1][0]


def contradictions(chunk: Chunk) -> Script[list[Contradiction]]:
    """Return the rows whose minimum or maximum contradicts the stored one, or whose attributes are too many."""
    found = yield rows("contradicting_rows", **chunk.bounds)
    return [Contradiction(*row) for row in found]


def count_levels_ignored(chunk: Chunk) -> Script[int]:
    """Return the number of rows whose level is neither booked nor that of its product."""
    row = yield one("count_levels_ignored", **chunk.bounds)
    return row[0] if row else 0


def levels_before(chunk: Chunk, limit: int) -> Script[dict[int, int]]:
    """Return the levels of the products that exist before the merge, by the number of their rows, the first ones."""
    return dict((yield rows("levels_before", **chunk.bounds, limit=limit)))


def merged_rows(chunk: Chunk, mode: Mode, before: Mapping[int, int], limit: int) -> Script[list[PreviewRow]]:
    """Return the first rows with their products after the merge, among them refused rows whose products exist."""
    found = yield rows("merged_rows", **chunk.bounds, limit=limit)
    merged = []
    for number, *product, further, stored, given in found:
        old, others = before.get(number), [OtherCode(*one) for one in from_json(further)]
        outcome = mode.outcome(old, given)
        merged.append(PreviewRow(*(number, outcome, *product, others, attributes_in(stored), old, given)))
    return merged
