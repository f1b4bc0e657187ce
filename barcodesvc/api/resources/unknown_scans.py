"""Handlers of the scans that named no product: listed, assigned to a product as one of its codes, and deleted."""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from barcodesvc import fields
from barcodesvc.api.parameters import QueryInteger, UnknownScanInPath
from barcodesvc.api.resources.list_parameters import PageNumber, Pagination, offset_of, pagination
from barcodesvc.api.resources.product_codes import OneCode
from barcodesvc.api.responses import Success
from barcodesvc.api.signature import Example
from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.fields import Timestamp, described
from barcodesvc.models import MAX_ID, Draft, Keyed, Query
from barcodesvc.product_codes import CodeDraft, Note, PackQuantity
from barcodesvc.scanning.unresolved import ProposedProduct, Understood
from barcodesvc.service import Service
from barcodesvc.store import further_codes, unknown_scans
from barcodesvc.store.idempotency import KeyedRequest
from barcodesvc.store.script import Script

PAGE_SIZE, LARGEST_PAGE_SIZE = 50, 100
"""Entries of a page: each is parsed again, in up to a millisecond."""


class UnknownScansQuery(Query):
    """The requested page."""

    page: PageNumber = 1
    limit: Annotated[
        QueryInteger,
        Field(ge=1, le=LARGEST_PAGE_SIZE),
        described("The most entries that the page may have.", PAGE_SIZE),
    ] = PAGE_SIZE


@dataclass(frozen=True, slots=True)
class UnknownScan:
    """A scan that named no product, and what is understood of it."""

    id: Annotated[int, described("The id of the unknown scan.", 5)]
    text: Annotated[str, described("What was scanned, or its first 500 characters.", "4711")]
    count: Annotated[int, described("How often it was scanned.", 3)]
    first_seen: Annotated[Timestamp, described("When it was scanned first.")]
    last_seen: Annotated[Timestamp, described("When it was scanned last.")]
    understood: Annotated[Understood, described("What is understood of it.")]
    new_product: Annotated[
        ProposedProduct | None,
        described("A body that creates a product which the same scan finds, or null if that is not possible."),
    ]


class UnknownScansResponse(TypedDict):
    """One page of the unknown scans."""

    success: Success
    data: Annotated[list[UnknownScan], described("The unknown scans of the page, newest first.")]
    pagination: Annotated[Pagination, described("The place of the page among all pages.")]


class ScanAssignment(Keyed):
    """The product that an unknown scan means from now on."""

    product_id: Annotated[fields.ProductId, Field(ge=1, le=MAX_ID)]
    pack_quantity: PackQuantity = 1
    note: Note = ""


class ForgottenScans(TypedDict):
    """A confirmation for people."""

    success: Success
    message: Annotated[str, described("What was deleted, for people.", "deleted 1 unknown scan")]


async def list_unknown_scans(service: Service, query: UnknownScansQuery) -> UnknownScansResponse:
    """List the scans that name no product, newest first.

    One that names a product by now, because that has got the code since, is deleted and not listed.
    """
    await service.unknown_scans.write()
    place = query.limit, offset_of(query.page, query.limit)
    kept, total = await unknown_scans.list_kept(service.database, *place)
    if known := [one.id for one in kept if await service.resolver.names_a_product(one.text)]:
        await service.database.change(partial(unknown_scans.forget_known, known))
        kept, total = await unknown_scans.list_kept(service.database, *place)
    data = []
    for one in kept:
        data.append(UnknownScan(*one, *service.resolver.explained(one.text)))
        await asyncio.sleep(0)  # no scan waits for a whole page
    return UnknownScansResponse(success=True, data=data, pagination=pagination(query.page, query.limit, total))


def assign_unknown_scan(
    service: Service,
    id: UnknownScanInPath,
    body: Annotated[ScanAssignment, Example({"product_id": 1, "pack_quantity": 6})],
    key: KeyedRequest[ScanAssignment],
) -> Script[OneCode]:
    """Assign what was scanned to a product, as a further code, and delete the unknown scan."""
    text = yield from unknown_scans.forget(id)
    proposed = service.resolver.explained(text).new_product
    if proposed is None:
        message = "this scan is no code that a product can have; scan another code of the product"
        raise InvalidInput.of(field_problem("id", message, id))
    draft = CodeDraft(code=proposed["product_code"], pack_quantity=body.pack_quantity, note=body.note)
    return (yield from further_codes.add(body.product_id, draft, key.now))


def delete_unknown_scan(id: UnknownScanInPath, key: KeyedRequest[Draft]) -> Script[ForgottenScans]:  # noqa: ARG001 - a key is read
    """Delete one unknown scan."""
    yield from unknown_scans.forget(id)
    return ForgottenScans(success=True, message="deleted 1 unknown scan")


def delete_unknown_scans(key: KeyedRequest[Draft]) -> Script[ForgottenScans]:  # noqa: ARG001 - a key is read
    """Delete all unknown scans."""
    count = yield from unknown_scans.forget_all()
    return ForgottenScans(success=True, message=f"deleted {count} unknown scans")
