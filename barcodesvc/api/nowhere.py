"""The page for an address without anything: a person who mistypes one gets a way back to the web app, and no JSON.

Programs get an envelope there, and so does everyone below /api. The page has no style, which the policy of every
response forbids; the browser draws it in the scheme of the device.
"""

from aiohttp import hdrs, web

from barcodesvc.api.guard.headers import accepted_weights

_HTML = "text/html"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>404 · barcodesvc</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
</head>
<body>
<h1>404</h1>
<p lang="en">There is no page at this address. <a href="/">Open the web app</a></p>
<p lang="de">Unter dieser Adresse gibt es keine Seite. <a href="/">Web-App öffnen</a></p>
<p lang="fr">Il n&rsquo;y a pas de page à cette adresse. <a href="/">Ouvrir l&rsquo;application web</a></p>
<p lang="es">No hay ninguna página en esta dirección. <a href="/">Abrir la aplicación web</a></p>
</body>
</html>
"""


def wants_page(request: web.Request) -> bool:
    """Return whether a request for an address without anything gets the page instead of an envelope."""
    if request.path.startswith("/api") or request.method not in ("GET", "HEAD"):
        return False
    return any(
        kind.partition(";")[0] == _HTML and weight > 0
        for kind, weight in accepted_weights(request.headers.getall(hdrs.ACCEPT, ()))
    )


def page() -> web.Response:
    """Return the page."""
    return web.Response(
        text=_PAGE, status=web.HTTPNotFound.status_code, content_type=_HTML, headers={hdrs.VARY: hdrs.ACCEPT}
    )
