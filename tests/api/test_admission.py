import pytest
from aiohttp.test_utils import make_mocked_request

from barcodesvc.api.guard.admission import Admission, route_group
from barcodesvc.errors import RenderOverload

ONE, OTHER = "POST /api/codes/barcode", "GET /api/products"


def group(method: str, path: str) -> str:
    """Return the group of routes of a request."""
    return route_group(make_mocked_request(method, path))


def test_a_group_is_method_and_path() -> None:
    """The query is not part of it."""
    assert group("GET", "/api/products?page=2") == OTHER


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/api/inventory/1", "/api/inventory/2000"),
        ("/api/inventory/1/adjust", "/api/inventory/2/adjust"),
        ("/api/inventory/1", "/api/inventory/%32"),
        ("/api/codes/barcode/A-1.png", "/api/codes/barcode/A%2F2.svg?width=3"),
        ("/api/codes/decode", "/api/codes/decode"),
        ("/health", "/health?x=/a/b"),
        ("/", "/?"),
    ],
)
def test_requests_for_different_data_are_one_group(one: str, other: str) -> None:
    """A flood of changes to many products, or of codes in paths, counts as one group."""
    assert group("PUT", one) == group("PUT", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/api/products", "/api/products/1"),
        ("/api/products/1", "/api/products/export"),
        ("/api/codes/barcode", "/api/codes/qrcode"),
        ("/api/codes/decode", "/api/codes/printable"),
        ("/api/codes/scan", "/api/codes/scans"),
        ("/api/inventory/1", "/api/inventory/changes"),
        ("/health", "/metrics"),
    ],
)
def test_different_work_is_of_different_groups(one: str, other: str) -> None:
    """Each group leaves room for others, and another method is another group."""
    assert group("GET", one) != group("GET", other)
    assert group("GET", one) != group("PUT", one)


def test_no_more_requests_are_taken_than_the_capacity() -> None:
    """When different groups have taken all capacity, the next request is refused until one is released."""
    admission = Admission(3)
    for one in ("GET /a", "GET /b", "GET /c"):
        assert not admission.refuses(one)
        admission.enter(one)
    assert (admission.refuses(OTHER), admission.refuses("GET /health")) == (True, False)
    admission.leave("GET /b")
    assert (admission.refuses("GET /a"), admission.refuses("GET /b")) == (True, False)


def test_one_group_takes_half_of_the_capacity() -> None:
    """A flood of one group leaves room for others; once it shrinks, that group is accepted again."""
    admission = Admission(4)
    for _ in range(2):
        admission.enter(ONE)
    assert (admission.refuses(ONE), admission.refuses(OTHER)) == (True, False)
    for _ in range(2):
        admission.leave(ONE)
    assert (admission.refuses(ONE), admission.in_flight) == (False, 0)


def test_a_request_that_waits_for_its_client_takes_no_capacity() -> None:
    """Its capacity is free in the meantime; if all of it is taken when the request resumes, the request is refused."""
    admission, request = Admission(2), make_mocked_request("GET", "/api/products")
    admission.enter(OTHER)
    with admission.waiting_for_client(request):
        assert (admission.in_flight, admission.refuses(OTHER)) == (0, False)
        admission.enter(ONE)
    admission.require_capacity()
    with admission.waiting_for_client(request):
        admission.enter(ONE)
    with pytest.raises(RenderOverload) as refusal:
        admission.require_capacity()
    assert (refusal.value.headers, admission.refused_requests) == ({"Retry-After": "1"}, 1)
