"""The codes of products in the database: each is a row with the keys under which scans find it.

Rules: a code belongs to one product, as its own or as a further one. What a label shows is found for ever, so a
product that gets another code keeps the one that it had as a further one.
"""

import json
import logging
from collections.abc import Iterable
from typing import Any

from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.numbers.code_keys import code_keys
from barcodesvc.product_codes import FORMER_CODE, MOST_CODES, DuplicateProductCode, Owner
from barcodesvc.store.script import Row, Script, one, rows, run

_LOG = logging.getLogger(__name__)

FIRST_VERSION = 22
"""The version of the schema that has codes: a migration to it derives those of the products that are there."""
SYSTEM = "system"
"""The author of what the service writes by itself."""
_DERIVED_AT_ONCE = 5000
_TOLD_EVERY = 100_000
"""Products after which the log says how far a migration is."""

StoredCode = dict[str, Any]
"""The columns of a code."""


def own_code(product_id: int, code: str, now: str) -> StoredCode:
    """Return the own code of a product, as it is stored."""
    return {**further_code(product_id, code, now), "is_own": 1}


def further_code(product_id: int, code: str, now: str, pack_quantity: int = 1, note: str = "") -> StoredCode:
    """Return a further code of a product, as it is stored."""
    keys = code_keys(code)
    return {
        "product_id": product_id,
        "code": code,
        "is_own": 0,
        "pack_quantity": pack_quantity,
        "note": note,
        "created_at": now,
        "folded_key": keys.folded,
        "number_key": keys.number,
        "main_key": keys.main,
        "codabar_key": keys.codabar,
    }


def put(codes: Iterable[StoredCode]) -> Script[None]:
    """Write codes that no product has."""
    yield run("put_codes", given=json.dumps(list(codes)))


def require_free(code: str) -> Script[None]:
    """Raise DuplicateProductCode if a product has this code, as its own or as a further one."""
    if owner := (yield one("owner_of_code", code=code)):
        raise taken(code, owner)


def taken(code: str, owner: Row | None = None) -> DuplicateProductCode:
    """Return the error for a code that a product has, which `owner_of_code` has found."""
    message = f"there is already a product with code {code!r}"
    if owner is None:
        return DuplicateProductCode(message, product_code=code)
    product_id, own, description = owner[:3]
    if own != code:
        message += f"; it is a further code of {own!r}"
    named = Owner(id=product_id, product_code=own, description=description)
    return DuplicateProductCode(message, product_code=code, owner=named)


def require_room(product_id: int) -> Script[None]:
    """Raise InvalidInput if a product can have no further code."""
    if len((yield rows("list_further_codes", product_id=product_id, id=None))) >= MOST_CODES:
        message = f"a product has at most {MOST_CODES} further codes; remove one first"
        raise InvalidInput.of(field_problem("product_code", message, rule="too many"))


def change_own(product_id: int, old: str, new: str, now: str) -> Script[None]:
    """Make a code the product's own, and keep the old one as a further code.

    A further code of the product, of one piece, becomes its own; raises DuplicateProductCode for any other that exists,
    and InvalidInput if the product can have no further code.
    """
    if old == new:  # another replica has just changed it
        return
    owner = yield one("owner_of_code", code=new)
    if owner and (owner[0] != product_id or owner[-1] != 1):
        raise taken(new, owner)
    if owner:
        yield one("remove_further_code", product_id=product_id, id=owner[-2])
    else:
        yield from require_room(product_id)
    yield run("make_code_former", product_id=product_id, note=FORMER_CODE)
    yield from put([own_code(product_id, new, now)])
    reason = f"product code changed from {old} to {new}"
    yield run("keep_time_of_level", product_id=product_id)
    yield run("note_change_of_code", product_id=product_id, change_reason=reason, updated_by=SYSTEM, now=now)


def derive_own_codes() -> Script[None]:
    """Write the own codes of all products, and log how many, as a part of a migration."""
    after, derived = 0, 0
    while found := (yield rows("codes_to_derive", after=after, limit=_DERIVED_AT_ONCE)):
        yield from put(own_code(*row) for row in found)
        after, derived = found[-1][0], derived + len(found)
        if len(found) < _DERIVED_AT_ONCE or not derived % _TOLD_EVERY:
            _LOG.info("migration: the codes of %d products are stored", derived)
