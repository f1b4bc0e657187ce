"""What labels print that is not in their request, from the database and the settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TypeVar

from barcodesvc.amounts import AmountFormat
from barcodesvc.clock import Clock
from barcodesvc.errors import InvalidInput, ProductNotFound, field_problem
from barcodesvc.labels.label_content import LabelContent, LabelData
from barcodesvc.labels.label_requests import LabelsRequest
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.pictures import Picture
from barcodesvc.labels.placeholders import ATTRIBUTE
from barcodesvc.store.database import Database, Reader
from barcodesvc.store.products import product_texts
from barcodesvc.store.saved import get_image, get_layout
from barcodesvc.validation import validated

_Request = TypeVar("_Request", bound=LabelsRequest)


@dataclass(frozen=True, slots=True)
class LabelSource:
    """Reads what requests for labels name; `domain` is that of Digital Links, None if the service has none."""

    database: Database
    clock: Clock
    time_zone: tzinfo
    domain: str | None
    amounts: AmountFormat

    async def with_saved_layout(self, asked: _Request) -> _Request:
        """Return a request with the saved layout that it names; raises NameNotFound."""
        layout = asked.layout
        saved = await self.saved_layout(layout.name)
        return asked.model_copy(update={"layout": saved.with_fields(layout, layout.model_fields_set - {"name"})})

    async def saved_layout(self, name: str | None) -> Layout:
        """Return the saved layout of this name, or one without any fields; raises NameNotFound."""
        if name is None:
            return Layout()
        return validated(Layout, (await get_layout(self.database, name)).layout)

    async def label_data(self, wanted: LabelsRequest) -> LabelData:
        """Return what a whole request prints that is not in it.

        Raises InvalidInput, NameNotFound, and ProductNotFound with all codes without a product.
        """
        image = wanted.layout.image
        content = wanted.content(self.domain)
        codes = wanted.codes(content)
        products = await self._products(codes) if codes else {}
        await self._require_attributes(content, products)
        picture = await saved_picture(self.database, image.name) if image else None
        return LabelData(self.clock.date_in(self.time_zone), self.domain, products, picture, self.amounts)

    async def _require_attributes(self, content: LabelContent, products: Mapping[str, Mapping[str, str]]) -> None:
        """Raise InvalidInput for attributes that no product of the catalogue has: their names are wrong."""
        wanted = {name for name in content.product_names() if name.startswith(ATTRIBUTE)}
        lacking = wanted.difference(*products.values())
        if not lacking:
            return
        known = {ATTRIBUTE + name for (name,) in await self.database.rows("attribute_names")}
        unknown = sorted(name.removeprefix(ATTRIBUTE) for name in lacking - known)
        if unknown:
            message = f"no product has the attribute {unknown[0]!r}"
            raise InvalidInput.of(field_problem("layout", message, unknown[0], rule="attribute"))

    async def _products(self, codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        found = await product_texts(self.database, codes)
        missing = [code for code in codes if code not in found]
        if missing:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            raise ProductNotFound(f"there is no product with code {missing[0]!r}{more}", missing=missing)
        return found


async def saved_picture(reader: Reader, name: str) -> Picture:
    """Return the image of this name; raises NameNotFound."""
    stored = await get_image(reader, name)
    return Picture(stored.width, stored.height, stored.pixels)
