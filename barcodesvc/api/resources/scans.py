"""The handler of scans: what a scanner sent in, the product it names out.

Scanner apps send the same codes again and again, so answers are remembered; see `scan_answers`.
"""

from __future__ import annotations

from typing import Annotated

from aiohttp import web
from pydantic import BaseModel, Field, StringConstraints, ValidationInfo, ValidatorFunctionWrapHandler, field_validator
from pydantic_core import PydanticKnownError

from barcodesvc.api.keys import RESOLVER
from barcodesvc.api.requests import json_body, parsed
from barcodesvc.api.resources.decoded_scans import DecodedAnswer, decoded_answer
from barcodesvc.api.resources.image_bodies import brings_image
from barcodesvc.api.resources.image_scans import decode_base64, decode_image
from barcodesvc.api.resources.scan_answers import SCAN_ANSWERS
from barcodesvc.api.responses import JsonAnswer, json_answer
from barcodesvc.api.whole_answers import WholeAnswer
from barcodesvc.models import Draft

CodeData = Annotated[str, StringConstraints(min_length=1, max_length=8192)]
_ABSENT = ()
"""Stands for a text that is not given: no JSON value becomes a tuple."""


class DecodeRequest(Draft):
    """What a scanner sent, or an image of it; `code_type` is a hint that hides no product."""

    image_base64: str | None = None
    code_data: CodeData = Field(default=_ABSENT, validate_default=True)
    code_type: str = ""

    @field_validator("code_data", mode="wrap")
    @classmethod
    def _text_or_image(cls, value: object, check: ValidatorFunctionWrapHandler, info: ValidationInfo) -> object:
        """Require one of the two; beside an image the text is empty."""
        has_image = info.data.get("image_base64", "") is not None
        if value == _ABSENT:
            if not has_image:
                raise PydanticKnownError("missing")
            return ""
        if has_image:
            raise ValueError("give either code_data or image_base64, not both")
        return check(value)


class ScannedText(BaseModel, extra="forbid"):
    """What a scanner sent; `code_type` is a hint that hides no product."""

    code_data: CodeData
    code_type: str = ""


async def decode_scan(request: web.Request) -> JsonAnswer[DecodedAnswer] | WholeAnswer:
    """POST /api/codes/decode: the product that a scanned text names, or the codes on an image."""
    if brings_image(request):
        return await decode_image(request)
    body = await json_body(request)
    answers = request.app[SCAN_ANSWERS]
    if answers.is_first(body):
        return await _answered(request, body)
    state = answers.state()
    known = answers.get(body, state)
    if known is not None:
        return WholeAnswer(known)
    response = await _answered(request, body)
    if isinstance(response.body, bytes):
        answers.put(body, state, response.body)
    return response


async def _answered(request: web.Request, body: bytes) -> JsonAnswer[DecodedAnswer]:
    wanted = await parsed(request, body, DecodeRequest)
    if wanted.image_base64 is not None:
        return await decode_base64(request, wanted.image_base64)
    scan = await request.app[RESOLVER].resolve(wanted.code_data, wanted.code_type)
    return json_answer(DecodedAnswer(success=True, data=decoded_answer(scan)))
