"""Handlers of /api/products, except the import."""

import re
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from operator import attrgetter
from typing import Annotated

from aiohttp import web
from pydantic import (
    AfterValidator,
    BeforeValidator,
    StringConstraints,
    TypeAdapter,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import to_json
from typing_extensions import TypedDict

from barcodesvc.api.parameters import ProductInPath, QueryBoolean
from barcodesvc.api.resources.list_parameters import (
    LARGEST_PAGE_SIZE,
    PAGE_SIZE,
    FromTime,
    PageLimit,
    PageNumber,
    Pagination,
    RetiredFilter,
    Stock,
    offset_of,
    pagination,
    stock_bounds,
)
from barcodesvc.api.responses import JSON, JSON_HEADERS, Success, enveloped, success
from barcodesvc.api.signature import Enveloped, Example, Sends
from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.fields import described
from barcodesvc.models import (
    LONGEST_SHORT_TEXT,
    Draft,
    Level,
    Product,
    ProductChange,
    ProductCode,
    ProductDraft,
    Query,
    StockedProduct,
    matching,
)
from barcodesvc.service import Service
from barcodesvc.store import inventory, lists, products
from barcodesvc.store.idempotency import KEY, KeyedRequest, Reply, unless_kept
from barcodesvc.store.lists import MOST_WORDS, Page, ProductFilter, Sort, words_of
from barcodesvc.store.script import Script
from barcodesvc.texts import LONGEST_TEXT, PLAIN_TEXT, refuse_control_characters

_values = attrgetter(*(field.name for field in fields(Product)))

_LISTED = TypeAdapter(tuple[Product, ...])
_STOCKED = TypeAdapter(list[StockedProduct])
"""They write a list faster than `json_response`, which finds out what each product is."""


def _require_few_words(search: str) -> str:
    words = len(words_of(search))
    if words > MOST_WORDS:
        raise ValueError(f"{words} words; a search has at most {MOST_WORDS}")
    return search


MOST_IDS = LARGEST_PAGE_SIZE
_IDS = re.compile("[1-9][0-9]{0,15}(,[1-9][0-9]{0,15})*")


def _ids(text: object) -> tuple[int, ...]:
    if not isinstance(text, str) or not _IDS.fullmatch(text):
        raise ValueError("not a list of ids such as 3,1,2")
    ids = tuple(dict.fromkeys(map(int, text.split(","))))
    if len(ids) > MOST_IDS:
        raise ValueError(f"{len(ids)} ids; a request has at most {MOST_IDS}")
    return ids


Ids = Annotated[
    tuple[int, ...], BeforeValidator(_ids), WithJsonSchema({"type": "string", "pattern": f"^{_IDS.pattern}$"})
]


class ProductsQuery(Query):
    """The requested page and its filters, and whether products include their levels."""

    page: PageNumber = 1
    limit: PageLimit = PAGE_SIZE
    search: Annotated[
        str,
        StringConstraints(max_length=LONGEST_TEXT),
        AfterValidator(refuse_control_characters),
        AfterValidator(_require_few_words),
        matching(PLAIN_TEXT),
        described(
            "Words in code, description or values of attributes, in any order, without regard to case and accents, "
            "or a number in any spelling.",
            "high water",
        ),
    ] = ""
    category: (
        Annotated[
            str,
            StringConstraints(max_length=LONGEST_SHORT_TEXT),
            described("Only products of exactly this category.", "Office"),
        ]
        | None
    ) = None
    product_code: Annotated[
        ProductCode | None, described("Only the product with exactly this code.", "4006381333931")
    ] = None
    stock: Stock | None = None
    moved_since: Annotated[
        FromTime | None,
        described("Only products whose level has a change on or after this day or moment.", "2026-01-01"),
    ] = None
    retired: RetiredFilter = "false"
    sort: Annotated[
        Sort | None,
        described("The field that products are sorted by; `-` reverses the order. By default `id`.", "description"),
    ] = None
    include_levels: Annotated[QueryBoolean, described("Whether each product has its levels.", example=True)] = False
    ids: Annotated[
        Ids | None,
        described(
            f"Only the products with these ids, at most {MOST_IDS}, in this order; without other filters and `sort`.",
            "3,1,2",
        ),
    ] = None

    @field_validator("ids")
    @classmethod
    def _alone(cls, ids: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
        others = ("search", "category", "product_code", "stock", "moved_since", "retired", "sort")
        if given := [name for name in others if info.data.get(name) != cls.model_fields[name].default]:
            raise ValueError(f"cannot be sent with {', '.join(given)}")
        return ids

    def filter(self, named: tuple[int, ...]) -> ProductFilter:
        """Return the filters, apart from `product_code`; `named` are the products that the search names as a number."""
        stock = stock_bounds(self.stock)
        return ProductFilter(self.search, self.category, stock, self.moved_since, named, self.retired)


OneProduct = Annotated[Product, Enveloped("ProductResponse", "One product.", "The product.")]


class ProductsResponse(TypedDict):
    """One page of the catalogue; the products have levels if the query requests them."""

    success: Success
    data: Annotated[
        Sequence[StockedProduct] | Sequence[Product],
        described("The products of the page, with their levels if the query requests them."),
    ]
    pagination: Annotated[Pagination, described("The place of the page among all pages.")]


class Deleted(TypedDict):
    """A confirmation for people."""

    success: Success
    message: Annotated[
        str,
        described("What was deleted, for people.", "deleted product '4006381333931' with its level and history"),
    ]


async def list_products(
    service: Service, query: ProductsQuery
) -> Annotated[web.Response, Sends({JSON: ProductsResponse})]:
    """List products, a page at a time."""
    page = await _page(service, query)
    levels = await inventory.levels_of(service.database, page.products) if query.include_levels else None
    data = _LISTED.dump_json(page.products) if levels is None else _STOCKED.dump_json(_stocked(page.products, levels))
    place = to_json(pagination(query.page, query.limit, page.total))
    return web.Response(body=enveloped(data, b',"pagination":' + place), headers=JSON_HEADERS)


async def _page(service: Service, query: ProductsQuery) -> Page:
    database, offset = service.database, offset_of(query.page, query.limit)
    if query.ids is not None:
        existing = await lists.products_with_ids(database, query.ids)
        return Page(existing[offset : offset + query.limit], len(existing))
    wanted = query.filter(await service.resolver.named(query.search) if query.search else ())
    if query.product_code is None:
        return await lists.list_products(database, wanted, limit=query.limit, offset=offset, sort=query.sort)
    found = await lists.product_with_code(database, query.product_code, wanted)
    return Page(found[offset:], len(found))


def _stocked(listed: Sequence[Product], levels: Sequence[Level]) -> list[StockedProduct]:
    """Return the products with their levels, without those deleted since they were listed."""
    of_product = {level.product_id: level for level in levels}
    return [_with_level(product, of_product[product.id]) for product in listed if product.id in of_product]


def _with_level(product: Product, level: Level) -> StockedProduct:
    return StockedProduct(
        *_values(product),
        current_level=level.current_level,
        minimum_level=level.minimum_level,
        maximum_level=level.maximum_level,
    )


AttributeNames = Annotated[
    list[Annotated[str, described("The name of an attribute.", "supplier")]],
    Enveloped("AttributeNamesResponse", "Names of attributes.", "The names that products have, sorted."),
]


async def list_attribute_names(service: Service) -> AttributeNames:
    """List the names of the attributes that products have."""
    return [name for (name,) in await service.database.rows("attribute_names")]


async def get_product(service: Service, id: ProductInPath) -> OneProduct:
    """Get a product."""
    return await products.get_product(service.database, id)


async def create_product(
    service: Service,
    body: Annotated[  # noqa: ARG001 - it is what the key's request asks for
        ProductDraft, Example({"product_code": "4006381333931", "description": "Highlighter", "initial_level": 25})
    ],
    key: KeyedRequest[ProductDraft],
) -> Annotated[Reply, Sends({JSON: OneProduct}, ("Location",))]:
    """Create a product with its inventory record.

    Without a `product_code`, the service makes one by the pattern in the settings. `maximum_level` is 0, which means
    that none is set, or at least `minimum_level`.
    """
    create = partial(products.create, key, service.settings.made_codes)
    return await service.database.change(partial(unless_kept, key, create, success))


def change_product(
    id: ProductInPath,
    body: Annotated[ProductChange, Example({"description": "Highlighter, yellow", "minimum_level": 10})],
    key: KeyedRequest[ProductChange],
) -> Script[OneProduct]:
    """Change a product.

    Fields that are not sent stay as they are, and one that differs is required. A product that gets another
    `product_code` keeps the former one as a further code. `maximum_level` is 0, which means that none is set, or at
    least `minimum_level`, as sent or as stored.
    """
    if not body.model_fields_set - {KEY}:
        names = [name for name in ProductChange.model_fields if name != KEY]
        raise InvalidInput.of(field_problem("body", f"nothing to change; send at least one of {', '.join(names)}"))
    return products.update(id, body, key.now)


def delete_product(id: ProductInPath, key: KeyedRequest[Draft]) -> Script[Deleted]:  # noqa: ARG001 - a key is read
    """Delete a product with its level and history."""
    code = yield from products.delete(id)
    return Deleted(success=True, message=f"deleted product {code!r} with its level and history")
