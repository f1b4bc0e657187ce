"""Pictures as values of a JSON object."""

from __future__ import annotations

import json
from base64 import b64decode

import pytest

from barcodesvc.api.resources.code_json import code_json, render_json
from barcodesvc.render.layout import ModuleWidth
from barcodesvc.render.rendering import BarcodeKey, QrKey, Rendering
from barcodesvc.symbols.registry import find_symbology


def test_a_rendering_is_pictures_and_warnings() -> None:
    """The renderer's part knows no JSON: it hands out a document, a file and sentences."""
    rendering = BarcodeKey(find_symbology("CODE128"), "A-1", ModuleWidth(1), 10, with_text=False, dpi=300).render()
    assert rendering.svg.startswith("<svg")
    assert rendering.png.startswith(b"\x89PNG")
    assert len(rendering.warnings) == 1


@pytest.mark.parametrize("warnings", [(), ('ünknown "quotes"', "two")])
def test_the_values_are_those_of_the_picture(warnings: tuple[str, ...]) -> None:
    """Read as JSON, and as files, the values are the very document, file and warnings."""
    rendering = Rendering('<svg title="ü"/>', b"\x89PNG\xff", warnings)
    code = code_json(rendering)
    reply = json.loads(b'{"svg":%b,"png":%b%b}' % (code.svg, code.png_uri, code.warnings_field))
    assert reply["svg"] == rendering.svg == code.svg_document.decode()
    scheme, _, data = reply["png"].partition(",")
    assert (scheme, b64decode(data)) == ("data:image/png;base64", rendering.png)
    assert code.png_file == rendering.png
    assert tuple(reply.get("warnings", ())) == warnings
    assert ("warnings" in reply) is bool(warnings)


def test_a_code_weighs_what_its_values_hold() -> None:
    """The bound of the cache counts each byte that is kept."""
    code = render_json(QrKey("A-1", "M", 300))
    assert code.weight == len(code.svg) + len(code.png_uri) + len(code.warnings_field)
