"""A code as JSON: the fields of an answer that a picture fills, made once and kept instead of the picture.

A render thread makes them behind the picture, so that the event loop only joins finished bytes; the renderer's cache
holds nothing else, so that its bound is about what answers are made of.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass

from aiohttp import web
from pydantic_core import to_json

from barcodesvc.render.renderer import Renderer
from barcodesvc.render.rendering import Rendering, RenderKey

_DATA_URI = b'"data:image/png;base64,'


@dataclass(frozen=True, slots=True)
class CodeJson:
    """A picture as values of a JSON object, in UTF-8.

    svg: the SVG document as a string, quotes included; png_uri: the PNG as a string holding a `data:` URI (RFC 2397);
    warnings_field: the field `warnings` with a comma in front, empty without any.
    """

    svg: bytes
    png_uri: bytes
    warnings_field: bytes = b""

    @property
    def weight(self) -> int:
        """Bytes that the values occupy."""
        return len(self.svg) + len(self.png_uri) + len(self.warnings_field)

    @property
    def svg_document(self) -> bytes:
        """The SVG document itself."""
        document: str = json.loads(self.svg)
        return document.encode()

    @property
    def png_file(self) -> bytes:
        """The PNG file itself."""
        return b64decode(self.png_uri[len(_DATA_URI) : -1])


def render_json(key: RenderKey) -> CodeJson:
    """Render the key; raises InvalidContent for what cannot be drawn."""
    return code_json(key.render())


def code_json(rendering: Rendering) -> CodeJson:
    """Return a picture and its warnings as JSON."""
    return CodeJson(
        to_json(rendering.svg),
        _DATA_URI + b64encode(rendering.png) + b'"',
        b',"warnings":' + to_json(rendering.warnings) if rendering.warnings else b"",
    )


RENDERER: web.AppKey[Renderer[CodeJson]] = web.AppKey("renderer")
"""What codes are rendered by and kept in, as JSON."""
