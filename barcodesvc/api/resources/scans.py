"""Handler of scans: returns the product that a scanned text or image names.

Scanner apps send the same codes repeatedly, so responses are cached; see `scan_cache`.
"""

from typing import Annotated

from aiohttp import web
from pydantic import StringConstraints, field_validator
from pydantic.json_schema import SkipJsonSchema

from barcodesvc.api.bodies import json_body, require_no_query, worked_on
from barcodesvc.api.forms import FORM
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources.image_scans import (
    MOST_TEXT_BYTES,
    ImageForm,
    ImageRequest,
    brings_image,
    decode_image,
    image_file,
    image_in_json,
    resolved_image,
)
from barcodesvc.api.resources.scan_cache import SCAN_CACHE
from barcodesvc.api.resources.scan_responses import DecodedScan, decoded_data
from barcodesvc.api.responses import JSON, WholeResponse, success_response
from barcodesvc.api.signature import Example, Reads, Sends
from barcodesvc.fields import described
from barcodesvc.models import Draft
from barcodesvc.scanning.images.codes import EffortName
from barcodesvc.validation import json_in, validated

LONGEST_SCAN = 8192
"""Characters of a scanned text."""

CodeData = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_SCAN),
    described("What the scanner sent, with all its control characters.", "]E04006381333931"),
]
CodeType = Annotated[
    str, described("A hint: the symbology that the scanner names; a wrong one hides no product.", "EAN13")
]


class ScannedText(Draft):
    """A scanned text; `code_type` is a hint that hides no product."""

    image_base64: SkipJsonSchema[None] = None
    """For refusals, which list it: a body that has it is an ImageRequest."""
    code_data: CodeData
    code_type: CodeType = ""
    effort: SkipJsonSchema[EffortName] = "normal"

    @field_validator("effort")
    @classmethod
    def _of_an_image(cls, _: EffortName) -> EffortName:
        raise ValueError("only an image has an effort")


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
    """Find the product that a scanned text names, or the codes on an image."""
    require_no_query(request)
    if brings_image(request):
        return await decode_image(request)
    body = await json_body(request)
    cache = request.app[SCAN_CACHE]
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
    service = request.app[SERVICE]
    if len(body) > MOST_TEXT_BYTES:
        return await resolved_image(request, await worked_on(request, body, image_in_json, body, service.settings))
    sent = json_in(body)
    if isinstance(sent, dict) and "image_base64" in sent:
        image = validated(ImageRequest, sent)
        return await resolved_image(request, image_file(image, image.image_base64, service.settings))
    text = validated(ScannedText, sent)
    scan = await service.resolver.resolve(text.code_data, text.code_type)
    return success_response(decoded_data(scan))
