"""Handler of scans: returns the product that a scanned text or image names.

Scanner apps send the same codes repeatedly, so responses are cached; see `scanning.scan_cache`.
"""

from __future__ import annotations

from typing import Annotated

from aiohttp import web
from pydantic import BaseModel, Field, StringConstraints, ValidationInfo, ValidatorFunctionWrapHandler, field_validator
from pydantic_core import PydanticKnownError

from barcodesvc.api.bodies import json_body, parsed
from barcodesvc.api.forms import FORM
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources.image_scans import (
    MOST_TEXT_BYTES,
    ImageEffort,
    ImageForm,
    ImageRequest,
    brings_image,
    decode_base64,
    decode_image,
    decode_long_json,
)
from barcodesvc.api.resources.scan_responses import DecodedScan, decoded_data
from barcodesvc.api.responses import JSON, WholeResponse, json_response
from barcodesvc.api.signature import Example, Reads, Sends
from barcodesvc.fields import described
from barcodesvc.models import Draft
from barcodesvc.scanning.codes_on_images import EffortName

CodeData = Annotated[
    str,
    StringConstraints(min_length=1, max_length=8192),
    described("What the scanner sent, with all its control characters.", "]E04006381333931"),
]
CodeType = Annotated[
    str, described("A hint: the symbology that the scanner names; a wrong one hides no product.", "EAN13")
]
_ABSENT = ()
"""A missing text: no JSON value becomes a tuple."""


class DecodeRequest(Draft):
    """A scanned text, or an image; `code_type` is a hint that hides no product, and `effort` is for an image."""

    image_base64: str | None = None
    code_data: CodeData = Field(default=_ABSENT, validate_default=True)
    code_type: str = ""
    effort: ImageEffort = "normal"

    @field_validator("code_data", mode="wrap")
    @classmethod
    def _text_or_image(cls, value: object, check: ValidatorFunctionWrapHandler, info: ValidationInfo) -> object:
        """Require one of the two; next to an image the text is empty."""
        has_image = info.data.get("image_base64", "") is not None
        if value == _ABSENT:
            if not has_image:
                raise PydanticKnownError("missing")
            return ""
        if has_image:
            raise ValueError("give either code_data or image_base64, not both")
        return check(value)

    @field_validator("effort")
    @classmethod
    def _of_an_image(cls, value: EffortName, info: ValidationInfo) -> EffortName:
        if info.data.get("image_base64") is None:
            raise ValueError("only an image has an effort")
        return value


class ScannedText(BaseModel, extra="forbid"):
    """A scanned text; `code_type` is a hint that hides no product."""

    code_data: CodeData
    code_type: CodeType = ""


async def decode_scan(
    request: Annotated[
        web.Request,
        Reads(
            body={
                JSON: Annotated[ScannedText | ImageRequest, Example({"code_data": "]E04006381333931"})],
                FORM: ImageForm,
            }
        ),
    ],
) -> Annotated[web.StreamResponse, Sends({JSON: DecodedScan})]:
    """The product that a scanned text names, or the codes on an image."""
    if brings_image(request):
        return await decode_image(request)
    body = await json_body(request)
    cache = request.app[SERVICE].scan_cache
    if cache.is_first(body):
        return await _response(request, body)
    state = cache.state()
    known = cache.get(body, state)
    if known is not None:
        return WholeResponse(known)
    response = await _response(request, body)
    if isinstance(response.body, bytes):
        cache.put(body, state, response.body)
    return response


async def _response(request: web.Request, body: bytes) -> web.Response:
    if len(body) > MOST_TEXT_BYTES:
        return await decode_long_json(request, body)
    wanted = await parsed(request, body, DecodeRequest)
    if wanted.image_base64 is not None:
        return await decode_base64(request, wanted.image_base64, wanted.effort, wanted.code_type)
    scan = await request.app[SERVICE].resolver.resolve(wanted.code_data, wanted.code_type)
    return json_response({"success": True, "data": decoded_data(scan)})
