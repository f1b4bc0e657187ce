"""The further codes of a product: listed, added and removed."""

from barcodesvc.product_codes import CodeDraft, CodeNotFound, FurtherCode
from barcodesvc.store import codes
from barcodesvc.store.database import Database
from barcodesvc.store.products import begin_change_of_codes, get_product
from barcodesvc.store.script import Script, one, rows


async def list_codes(database: Database, product_id: int) -> list[FurtherCode]:
    """Return the further codes of a product, oldest first; raises ProductNotFound."""
    found = await database.rows("list_further_codes", product_id=product_id, id=None)
    if not found:
        await get_product(database, product_id)
    return [FurtherCode(*row) for row in found]


async def get_code(database: Database, product_id: int, code_id: int) -> FurtherCode:
    """Return a further code of a product; raises CodeNotFound."""
    found = await database.rows("list_further_codes", product_id=product_id, id=code_id)
    if not found:
        raise _no_such_code(product_id, code_id)
    return FurtherCode(*found[0])


def add(product_id: int, draft: CodeDraft, now: str) -> Script[FurtherCode]:
    """Give a product a further code; raises ProductNotFound, DuplicateProductCode, and InvalidInput for too many."""
    yield from begin_change_of_codes(product_id, now)
    yield from codes.require_free(draft.code)
    yield from codes.require_room(product_id)
    yield from codes.put([codes.further_code(product_id, draft.code, now, draft.pack_quantity, draft.note)])
    return FurtherCode(*(yield rows("list_further_codes", product_id=product_id, id=None))[-1])


def remove(product_id: int, code_id: int, now: str) -> Script[str]:
    """Remove a further code and return it; raises ProductNotFound and CodeNotFound.

    The product is locked first, as in other changes of its codes, so that none of two waits for the other.
    """
    yield from begin_change_of_codes(product_id, now)
    row = yield one("remove_further_code", product_id=product_id, id=code_id)
    if row is None:
        raise _no_such_code(product_id, code_id)
    return str(row[0])


def _no_such_code(product_id: int, code_id: int) -> CodeNotFound:
    return CodeNotFound(f"the product {product_id} has no further code with id {code_id}", id=code_id)
