"""Handler of /source: how a user gets the source code of the service that runs here (AGPL-3.0, section 13).

The operator of a changed copy names its source code in BARCODESVC_SOURCE_URL; without it the release is named.
"""

from __future__ import annotations

from importlib.metadata import version

from aiohttp import hdrs, web

from barcodesvc.api.keys import SETTINGS
from barcodesvc.api.requests import NoQuery, read_query

_NOTICE = """\
barcodesvc {version}

Licence: GNU Affero General Public License, version 3 or any later version (AGPL-3.0-or-later),
https://www.gnu.org/licenses/agpl-3.0.html

The source code of this release is in its Python package. The operator of this service has named no other address of it.
"""


async def source(request: web.Request) -> web.Response:
    """GET /source: the source code that BARCODESVC_SOURCE_URL names, else a notice with release and licence."""
    read_query(request, NoQuery)
    address = request.app[SETTINGS].source_url
    if address is None:
        return web.Response(text=_NOTICE.format(version=version("barcodesvc")))
    return web.Response(status=web.HTTPFound.status_code, headers={hdrs.LOCATION: address})
