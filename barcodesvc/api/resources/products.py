"""The handlers of /api/products but for the import."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

from aiohttp import web
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from typing_extensions import TypedDict

from barcodesvc.api.keys import CLOCK, DATABASE
from barcodesvc.api.requests import (
    GREATEST_IN_QUERY,
    NoQuery,
    QueryInteger,
    read_id_and_model,
    read_id_and_query,
    read_model,
    read_query,
)
from barcodesvc.api.responses import JsonAnswer, Success, json_answer
from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.models import (
    MAX_ID,
    PLAIN_TEXT,
    Product,
    ProductChange,
    ProductDraft,
    matching,
    refuse_control_characters,
)
from barcodesvc.store import products

PAGE_SIZE = 50
LARGEST_PAGE_SIZE = 500


class ProductsQuery(BaseModel):
    """Which page of which products."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    page: Annotated[QueryInteger, Field(ge=1, le=GREATEST_IN_QUERY)] = 1
    limit: Annotated[QueryInteger, Field(ge=1, le=LARGEST_PAGE_SIZE)] = PAGE_SIZE
    search: Annotated[
        str, StringConstraints(max_length=500), AfterValidator(refuse_control_characters), matching(PLAIN_TEXT)
    ] = ""
    category: Annotated[str, StringConstraints(max_length=64)] | None = None


class ProductAnswer(TypedDict):
    """One product."""

    success: Success
    data: Product


class Pagination(TypedDict):
    """Where a page lies: its number from 1, its greatest length, and how many products and pages there are."""

    page: int
    limit: int
    total: int
    pages: int


class ProductsAnswer(TypedDict):
    """One page of the catalogue."""

    success: Success
    data: Sequence[Product]
    pagination: Pagination


class Deleted(TypedDict):
    """A confirmation for people."""

    success: Success
    message: str


async def list_products(request: web.Request) -> JsonAnswer[ProductsAnswer]:
    """GET /api/products: one page of the catalogue."""
    query = read_query(request, ProductsQuery)
    page = await products.list_products(
        request.app[DATABASE],
        limit=query.limit,
        offset=min((query.page - 1) * query.limit, MAX_ID),
        search=query.search,
        category=query.category,
    )
    pagination = Pagination(
        page=query.page, limit=query.limit, total=page.total, pages=math.ceil(page.total / query.limit)
    )
    return json_answer(ProductsAnswer(success=True, data=page.products, pagination=pagination))


async def get_product(request: web.Request) -> JsonAnswer[ProductAnswer]:
    """GET /api/products/:id: one product."""
    product_id, _ = read_id_and_query(request, "id", NoQuery)
    product = await products.get_product(request.app[DATABASE], product_id)
    return json_answer(ProductAnswer(success=True, data=product))


async def create_product(request: web.Request) -> JsonAnswer[ProductAnswer]:
    """POST /api/products: a new product with its inventory record."""
    draft = await read_model(request, ProductDraft)
    now = request.app[CLOCK].timestamp()
    product = await products.create_product(request.app[DATABASE], draft, now)
    return json_answer(ProductAnswer(success=True, data=product), status=201)


async def change_product(request: web.Request) -> JsonAnswer[ProductAnswer]:
    """PUT /api/products/:id: the fields sent, and no others."""
    product_id, change = await read_id_and_model(request, "id", ProductChange)
    if not change.model_fields_set:
        fields = [name for name in ProductChange.model_fields if name != "product_code"]
        raise InvalidInput.of(FieldProblem("body", f"nothing to change; send at least one of {', '.join(fields)}"))
    now = request.app[CLOCK].timestamp()
    product = await products.change_product(request.app[DATABASE], product_id, change, now)
    return json_answer(ProductAnswer(success=True, data=product))


async def delete_product(request: web.Request) -> JsonAnswer[Deleted]:
    """DELETE /api/products/:id: the product with its level and history."""
    product_id, _ = read_id_and_query(request, "id", NoQuery)
    code = await products.delete_product(request.app[DATABASE], product_id)
    return json_answer(Deleted(success=True, message=f"deleted product {code!r} with its level and history"))
