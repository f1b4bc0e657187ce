"""What the service says about itself: the OpenAPI document, Swagger UI, which shows it, and where the source code is.

Swagger UI loads nothing from other hosts. The source code is that of the service that runs here (AGPL-3.0, section 13):
the operator of a changed copy names it in BARCODESVC_SOURCE_URL, else the release is named.

Swagger UI has no dark scheme: the page inverts its colours, and those of its dark examples twice. The filter is that of
the root, because one inside the page would move the dialog of keys to the middle of the whole document.

Rule: only files in a fixed table are served; no path from a client reaches the folder. The page contains no inline
script or style, so that its policy (CSP, level 3) can forbid inline code and other origins.
"""

import asyncio
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from aiohttp import hdrs, web
from pydantic import Field

from barcodesvc.api.keys import API_DOCUMENT
from barcodesvc.api.responses import JSON, conditional, kept_etag
from barcodesvc.api.signature import CACHED, Sends
from barcodesvc.config import VERSION
from barcodesvc.errors import UnknownRoute
from barcodesvc.fields import described
from barcodesvc.service import Service

_POLICY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}
HTML = "text/html"
_ASK_AGAIN = "no-cache"
_PAGE = b"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>barcodesvc</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<nav><a href="/">&larr; Back to the web app</a></nav>
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
_START = b"""SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#api",
  deepLinking: true,
  validatorUrl: null,
});
"""
_STYLE = b"""body {
  margin: 0;
  background: #fff;
}

nav {
  max-width: 1460px;
  margin: 0 auto;
  padding: 16px 20px 0;
  font: 600 16px/1.5 sans-serif;
}

nav a {
  color: #0b5c8a;
}

@media (prefers-color-scheme: dark) {
  html {
    background: #fff;
    color-scheme: light;
    filter: invert(0.92) hue-rotate(180deg);
    scrollbar-color: #555 #141414;
  }

  body {
    scrollbar-color: auto;
  }

  .microlight {
    filter: invert(1) hue-rotate(180deg);
  }

  .swagger-ui .dialog-ux .backdrop-ux {
    background: rgb(255 255 255 / 80%);
  }
}
"""
_PACKAGE = "aiohttp_swagger3"
"""The package that ships Swagger UI; its code is not used."""
_NOTICE = """\
barcodesvc {version}

Licence: GNU Affero General Public License, version 3 or any later version (AGPL-3.0-or-later),
https://www.gnu.org/licenses/agpl-3.0.html

The source code of this release is in its Python package. The operator of this service has named no other address of it.
"""

_OURS = {"start.js": _START, "page.css": _STYLE}
ASSETS = {
    "start.js": "text/javascript",
    "page.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}


Document = Annotated[dict[str, Any], described("The document.", {"openapi": "3.1.0"})]
AssetInPath = Annotated[
    str, Field(json_schema_extra={"enum": list(ASSETS)}), described("The name of the file.", "start.js")
]


async def openapi_json(request: web.Request) -> Annotated[web.Response, Sends({JSON: Document}, CACHED)]:
    """Get this document (OpenAPI 3.1)."""
    document = await asyncio.to_thread(request.app[API_DOCUMENT])
    return _response(request, document, JSON)


async def docs(request: web.Request) -> Annotated[web.Response, Sends({HTML: None}, CACHED)]:
    """Show this document as a page."""
    return _response(request, _PAGE, HTML, _POLICY)


async def docs_asset(
    request: web.Request, asset: AssetInPath
) -> Annotated[web.Response, Sends({"text/css": None, "text/javascript": None, "image/png": bytes}, CACHED)]:
    """Get a file of that page."""
    if asset not in ASSETS:
        raise UnknownRoute(f"there is no such file; there are {', '.join(ASSETS)}")
    content = await asyncio.to_thread(content_of, asset)
    return _response(request, content, ASSETS[asset])


async def source(service: Service) -> web.Response:
    """The source code that BARCODESVC_SOURCE_URL names, else a notice with release and licence."""
    address = service.settings.source_url
    if address is None:
        return web.Response(text=_NOTICE.format(version=VERSION))
    return web.Response(status=web.HTTPFound.status_code, headers={hdrs.LOCATION: address})


@cache
def content_of(name: str) -> bytes:
    """Return the content of one of the ASSETS."""
    return _OURS.get(name) or (_folder() / name).read_bytes()


def _folder() -> Path:
    package = find_spec(_PACKAGE)
    if package is None or package.origin is None:
        raise FileNotFoundError(f"the package {_PACKAGE} is not installed")
    return Path(package.origin).parent / "swagger_ui"


def _response(
    request: web.Request, content: bytes, content_type: str, policy: Mapping[str, str] = MappingProxyType({})
) -> web.Response:
    charset = "" if content_type in (JSON, "image/png") else "; charset=utf-8"
    headers = {"Cache-Control": _ASK_AGAIN, **policy}
    return conditional(request, kept_etag(content), content, headers, {"Content-Type": f"{content_type}{charset}"})
