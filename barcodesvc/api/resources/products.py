"""The handlers of /api/products but for the import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from aiohttp import web
from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints
from typing_extensions import TypedDict

from barcodesvc.api.keys import CLOCK, DATABASE
from barcodesvc.api.requests import (
    NoQuery,
    QueryBoolean,
    read_id_and_model,
    read_id_and_query,
    read_model,
    read_query,
)
from barcodesvc.api.resources.paging import PAGE_SIZE, PageLimit, PageNumber, Pagination, offset_of, pagination
from barcodesvc.api.responses import JsonAnswer, Success, json_answer
from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.models import (
    PLAIN_TEXT,
    Product,
    ProductChange,
    ProductDraft,
    StockedProduct,
    matching,
    refuse_control_characters,
)
from barcodesvc.store import inventory, products
from barcodesvc.store.database import Database


class ProductsQuery(BaseModel):
    """Which page of which products, and whether with their levels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    page: PageNumber = 1
    limit: PageLimit = PAGE_SIZE
    search: Annotated[
        str, StringConstraints(max_length=500), AfterValidator(refuse_control_characters), matching(PLAIN_TEXT)
    ] = ""
    category: Annotated[str, StringConstraints(max_length=64)] | None = None
    include_levels: QueryBoolean = False


class ProductAnswer(TypedDict):
    """One product."""

    success: Success
    data: Product


class ProductsAnswer(TypedDict):
    """One page of the catalogue; the products have levels if that was asked for."""

    success: Success
    data: Sequence[StockedProduct] | Sequence[Product]
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
        offset=offset_of(query.page, query.limit),
        search=query.search,
        category=query.category,
    )
    listed = await _stocked(request.app[DATABASE], page.products) if query.include_levels else page.products
    place = pagination(query.page, query.limit, page.total)
    return json_answer(ProductsAnswer(success=True, data=listed, pagination=place))


async def _stocked(database: Database, listed: Sequence[Product]) -> list[StockedProduct]:
    """Return the products with their levels, without those that were deleted since they were listed."""
    levels = {level.product_id: level for level in await inventory.levels_of(database, listed)}
    return [
        StockedProduct(
            **asdict(product),
            current_level=levels[product.id].current_level,
            minimum_level=levels[product.id].minimum_level,
            maximum_level=levels[product.id].maximum_level,
        )
        for product in listed
        if product.id in levels
    ]


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
