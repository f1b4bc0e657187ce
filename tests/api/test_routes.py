from barcodesvc.api.routes import PAGE_ROUTES, ROUTES
from barcodesvc.app import make_app
from barcodesvc.config import Settings

SPECIFIED = {
    ("GET", "/api/products"),
    ("GET", "/api/products/{id}"),
    ("POST", "/api/products"),
    ("PUT", "/api/products/{id}"),
    ("DELETE", "/api/products/{id}"),
    ("POST", "/api/products/import"),
    ("GET", "/api/inventory"),
    ("PUT", "/api/inventory/{productId}"),
    ("GET", "/api/inventory/{productId}/history"),
    ("GET", "/api/inventory/export"),
    ("POST", "/api/codes/barcode"),
    ("POST", "/api/codes/qrcode"),
    ("POST", "/api/codes/printable"),
    ("POST", "/api/codes/decode"),
    ("GET", "/health"),
}
"""Section 4 of the interface specification."""
ADDED = {
    ("GET", "/api/products/import/template"),
    ("GET", "/api/products/catalogue"),
    ("GET", "/api/products/attributes"),
    ("GET", "/api/inventory/reorder"),
    ("GET", "/api/inventory/reorder/export"),
    ("GET", "/api/products/export"),
    ("GET", "/api/codes/formats"),
    ("GET", "/api/codes/barcode/{code}.svg"),
    ("GET", "/api/codes/barcode/{code}.png"),
    ("GET", "/api/codes/qrcode/{code}.svg"),
    ("GET", "/api/codes/qrcode/{code}.png"),
    ("POST", "/api/codes/batch"),
    ("GET", "/api/codes/sheets"),
    ("GET", "/api/codes/layouts"),
    ("GET", "/api/codes/layouts/{name}"),
    ("PUT", "/api/codes/layouts/{name}"),
    ("DELETE", "/api/codes/layouts/{name}"),
    ("GET", "/api/codes/images"),
    ("GET", "/api/codes/images/{name}"),
    ("PUT", "/api/codes/images/{name}"),
    ("DELETE", "/api/codes/images/{name}"),
    ("POST", "/api/inventory/{productId}/adjust"),
    ("GET", "/api/inventory/changes"),
    ("GET", "/api/inventory/{productId}"),
    ("POST", "/api/inventory/changes/{changeId}/undo"),
    ("POST", "/api/codes/scan"),
    ("POST", "/api/codes/scans"),
    ("GET", "/api/printers"),
    ("GET", "/api/printers/{printer}/jobs"),
    ("POST", "/api/printers/{printer}/jobs"),
    ("GET", "/api/printers/{printer}/jobs/{jobId}"),
    ("POST", "/api/printers/{printer}/jobs/{jobId}/cancel"),
    ("POST", "/api/printers/{printer}/jobs/{jobId}/resend"),
    ("POST", "/api/printers/{printer}/jobs/{jobId}/settle"),
    ("POST", "/api/page/session"),
    ("DELETE", "/api/page/session"),
    ("GET", "/api/openapi.json"),
    ("GET", "/api/docs"),
    ("GET", "/api/docs/{asset}"),
    ("GET", "/metrics"),
}
"""Routes that the service offers in addition."""


def test_the_route_table_is_the_specified_one() -> None:
    """Every route of the specification is present once, and no others except those listed here."""
    routes = [(route.method, route.path) for route in ROUTES]
    assert set(routes) == SPECIFIED | ADDED
    assert len(routes) == len(SPECIFIED | ADDED)


def test_the_application_serves_the_route_tables(settings: Settings) -> None:
    """The router has exactly the rows of the API's table and of the page's, and HEAD for every GET."""
    served = {
        (route.method, str(route.resource and route.resource.canonical)) for route in make_app(settings).router.routes()
    }
    tables = SPECIFIED | ADDED | {(route.method, route.path) for route in PAGE_ROUTES}
    heads = {("HEAD", path) for method, path in tables if method == "GET"}
    assert served == tables | heads
