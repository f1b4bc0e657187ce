"""A day in a shop as requests, by subject: what `test_same_responses` plays on both engines.

The clock does not advance within a stage, and ids begin at 1, so responses that differ are a fault of an engine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from aiohttp import FormData
from PIL import Image

from tests.forms import form_data
from tests.workbooks import xlsx

PEN, INK, CABLE, NUMBER = "4006381333931", "INK-4711", "A1234567B", "978316148410012"
SCANNED, YESTERDAY, DAY = "2023-11-14T22:10:00.000Z", "2023-11-13", "2023-11-14"
API_KEY = "the-key-of-the-shop-on-both-engines"
KEY = "Idempotency-Key"
JOBS, STOPPED = "/api/printers/office/jobs", "/api/printers/stopped/jobs"
SORTED_BY = ("id", "product_code", "description", "updated_at", "current_level")


@dataclass(frozen=True, slots=True)
class Step:
    """A request; `body` is JSON, bytes, or a function that makes a form. It is repeated until its body has `until`."""

    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    until: bytes = b""


def keyed(method: str, path: str, key: str, body: Any = None) -> Step:
    """Return a request with an idempotency key."""
    return Step(method, path, body, {KEY: key})


def thrice(method: str, path: str, key: str, body: Any, other: Any) -> list[Step]:
    """Return a request with a key, the same again, and another one under its key."""
    return [keyed(method, path, key, each) for each in (body, body, other)]


def reads(*paths: str) -> list[Step]:
    """Return a GET of each path."""
    return [Step("GET", path) for path in paths]


def created(code: str, description: str, **more: Any) -> Step:
    """Return the creation of a product."""
    return Step("POST", "/api/products", {"product_code": code, "description": description, **more})


def scan(code: str, **more: Any) -> Step:
    """Return a scan that counts."""
    return Step("POST", "/api/codes/scan", {"code_data": code, **more})


KEYED = {"product_code": "KEYED", "description": "made once"}
PRODUCTS = [
    created(PEN, "Blue pen", category="Pens", initial_level=5, attributes={"shelf": "B 4", "price": "2.99"}),
    created(INK, "Tinte für Füller", minimum_level=3),
    created(
        CABLE,
        "100 % _copper_ \\ Kabel 牛",
        category="Pens",
        unit_of_measure="m",
        attributes={"shelf": "a_1%", "colour": "red"},
    ),
    created("abc", "crème brûlée", initial_level=1),
    created("ABC", "Crème Brulee", minimum_level=2, maximum_level=2**53 - 1),
    created(NUMBER, "ISBN with an add-on", category="Ünïcode", attributes={"autor": "Ł. Łódź 😀"}),
    created(PEN, "another"),
    created("x" * 65, ""),
    created("NUL", "a\0b"),
    *thrice("POST", "/api/products", "create-1", KEYED, {"product_code": "OTHER", "description": "not made"}),
    Step("PUT", "/api/products/2", {"description": "Ink", "minimum_level": 4}),
    Step("PUT", "/api/products/2", {"maximum_level": 1}),
    Step("PUT", "/api/products/1", {"attributes": {"shelf": None, "colour": "blue", "note": 'a "quote" \\ é'}}),
    Step("PUT", "/api/products/1", {"attributes": {f"a{number}": "x" for number in range(31)}}),
    Step("PUT", "/api/products/99", {"description": "nothing"}),
    *thrice("PUT", "/api/products/4", "put-1", {"category": "Food"}, {"category": "Drinks"}),
]
LEVELS = [
    Step(
        "PUT", "/api/inventory/1", {"new_level": 8, "change_reason": "count", "updated_by": "Ann", "expected_level": 5}
    ),
    Step("PUT", "/api/inventory/1", {"new_level": 9, "expected_level": 5}),
    Step("PUT", "/api/inventory/99", {"new_level": 9}),
    *thrice("PUT", "/api/inventory/5", "set-1", {"new_level": 2**53 - 1}, {"new_level": 2}),
    Step("POST", "/api/inventory/5/adjust", {"delta": 1}),
    Step("POST", "/api/inventory/5/adjust", {"delta": -(2**53) + 3}),
    *thrice("POST", "/api/inventory/1/adjust", "adjust-1", {"delta": -2, "updated_by": "Ben"}, {"delta": -3}),
    Step("POST", "/api/inventory/1/adjust", {"delta": -99}),
    Step("POST", "/api/inventory/99/adjust", {"delta": 1}),
]
SCANS = [
    *(scan(f"]E0{PEN}", delta=delta, idempotency_key="scan-1") for delta in (3, 3, 4)),
    scan(PEN),
    scan(PEN, new_level=4, scanned_at=SCANNED),
    scan(CABLE, new_level=4, scanned_at=SCANNED),
    *(scan(CABLE, delta=1, scanned_ago_ms=age, idempotency_key="scan-2") for age in (1500, 2500)),
    scan(CABLE, delta=-6),
    scan(CABLE, delta=2**53 - 1),
    scan("AbC", delta=1),
    scan("unknown", delta=1),
    Step(
        "POST",
        "/api/codes/scans",
        {
            "scans": [
                {"code_data": PEN, "delta": 1, "idempotency_key": "batch-1"},
                {"code_data": "unknown", "delta": 1, "idempotency_key": "batch-2"},
                {"code_data": INK, "delta": 7, "idempotency_key": "batch-3"},
                {"code_data": PEN, "delta": 1, "idempotency_key": "batch-1"},
                {"code_data": PEN, "delta": 2, "idempotency_key": "batch-1"},
                {"code_data": CABLE, "new_level": 1, "scanned_at": SCANNED},
                {"code_data": CABLE, "delta": -99},
                {"code_data": "aBC", "delta": 1},
                {"code_data": INK},
            ]
        },
    ),
    *(
        Step("POST", "/api/codes/decode", {"code_data": text})
        for text in ("1234567", f"(01)0{PEN}(10)LOT", "ink-4711", "A", "9783161484100", "978316148410012", "aBc", "牛")
    ),
]
UNDOS = [
    *thrice("POST", "/api/inventory/changes/3/undo", "undo-1", {"updated_by": "Ann"}, {"updated_by": "Ben"}),
    Step("POST", "/api/inventory/changes/3/undo", {"updated_by": "Ann"}),
    Step("POST", "/api/inventory/changes/1/undo", {"updated_at": "2000-01-01T00:00:00Z"}),
    Step("POST", "/api/inventory/changes/4/undo", {}),
    Step("POST", "/api/inventory/changes/999/undo", {}),
]
CODES_OF_PEN, UNKNOWN = "/api/products/1/codes", "/api/scans/unknown"
BOX = {"code": "BOX-6", "pack_quantity": 6, "note": "box of six"}
FURTHER_CODES = [
    *thrice("POST", CODES_OF_PEN, "code-1", BOX, {"code": "OTHER"}),
    Step("POST", CODES_OF_PEN, {"code": f"0{PEN}", "note": 'a "quote" \\ é 😀'}),
    *(Step("POST", path, BOX) for path in (CODES_OF_PEN, "/api/products/2/codes", "/api/products/99/codes")),
    Step("POST", "/api/products/2/codes", {"code": PEN}),
    Step("POST", "/api/products/2/codes", {"code": "0-8044-2957-X", "pack_quantity": 12}),
    created("BOX-6", "a code of another product"),
    *reads(CODES_OF_PEN, "/api/products/99/codes", "/api/products?search=BOX-6", "/api/products?search=9780804429573"),
    *reads("/api/codes/qrcode/BOX-6.svg?include_product_info=true", "/api/products?product_code=BOX-6"),
    *(scan("box-6", delta=delta, idempotency_key="box-1") for delta in (2, 2, 3)),
    *(scan("BOX-6", delta=delta) for delta in (2**53 - 1, 1 - 2**53, -1)),
    scan("BOX-6", new_level=5),
    scan(f"(02)0{PEN}(37)12", delta=1, delta_from="embedded"),
    scan(f"(01)0{PEN}(3922)299", delta=1, delta_from="embedded"),
    Step("POST", "/api/codes/decode", {"code_data": f"(01)0{PEN}(3103)001250"}),
    *thrice("PUT", "/api/products/2", "rename-1", {"product_code": "INK-NEW"}, {"product_code": "INK-3"}),
    Step("PUT", "/api/products/2", {"product_code": "BOX-6"}),
    *(scan(code, delta=1) for code in (INK, "INK-NEW")),
    Step("POST", "/api/products", {"description": "without a code", "initial_level": 2}),
    *thrice("POST", "/api/codes/made", "made-1", {"count": 2}, {"count": 3}),
    Step("POST", "/api/products", {"description": "the next one without a code"}),
    Step("PUT", "/api/products/4", {"retired": True}),
    created("abc", "again"),
    scan("abc", delta=-1),
    *reads(
        *(
            f"/api/products?retired={which}{more}"
            for which in ("true", "any")
            for more in ("", "&search=e", "&stock=out")
        ),
        *(f"/api/inventory?retired={which}{more}" for which in ("true", "any") for more in ("", "&page=1&limit=2")),
        *(f"/api/{name}/export?format=csv&retired=any" for name in ("products", "inventory")),
        "/api/products?category=Food",
        "/api/products?retired=true&category=Food&sort=-description",
        "/api/products?sort=current_level",
    ),
    Step("PUT", "/api/products/4", {"retired": False}),
    Step("GET", f"{CODES_OF_PEN}/99"),
    Step("DELETE", f"{CODES_OF_PEN}/99"),
    *reads(f"{UNKNOWN}?page=9", f"{UNKNOWN}?limit=101"),
    Step("POST", f"{UNKNOWN}/999/assign", {"product_id": 1}),
    Step("DELETE", f"{UNKNOWN}/999"),
    Step("DELETE", UNKNOWN),
]
PRODUCT_LISTS = reads(
    *(f"/api/products?sort={sign}{name}&limit=4" for name in SORTED_BY for sign in ("", "-")),
    *(f"/api/products?sort={sign}{name}&search=e" for name in SORTED_BY for sign in ("", "-")),
    *(
        f"/api/products?{query}"
        for query in (
            "",
            "page=2&limit=2",
            "page=9",
            "limit=501",
            "search=E",
            "search=TINTE",
            "search=creme",
            "search=%C5%81OD%C5%B9",
            "search=%E7%89%9B",
            "search=%F0%9F%98%80",
            "search=%25",
            "search=_cop&include_levels=true",
            "search=a_1%25",
            "search=cr_me",
            "search=c%25me+b%25e",
            "search=%5C",
            "search=abc&limit=1",
            "search=kab+_copper_+100+%25+%5C",
            "search=kab+100+missing",
            f"search={PEN}",
            f"search=0{PEN}",
            f"search=0{PEN}&category=Misc",
            "search=%00",
            "category=%00",
            "category=Pens&search=kab",
            "category=Pens&limit=1",
            "category=Pens&sort=-description",
            "category=%C3%9Cn%C3%AFcode",
            "category=pens",
            "stock=low",
            "stock=low&limit=1&page=2&include_levels=true",
            "stock=out&sort=-product_code",
            "stock=low&search=e&category=Pens",
            f"moved_since={YESTERDAY}&sort=-product_code",
            f"moved_since={YESTERDAY}&category=Pens&search=blue",
            f"moved_since={DAY}T22:16:20Z",
            "moved_since=2030-01-01",
            "product_code=abc",
            "product_code=abc&category=Pens",
            f"product_code={PEN}&moved_since={YESTERDAY}&stock=low",
            "ids=3,99,1,3&include_levels=true",
            "ids=3,2,1&limit=2&page=2",
        )
    ),
    "/api/products/catalogue",
    "/api/products/attributes",
    "/api/products/1",
    "/api/products/99",
)
LEVEL_LISTS = reads(
    "/api/inventory",
    "/api/inventory?page=1&limit=2",
    "/api/inventory?page=9",
    "/api/inventory?low_stock=true",
    "/api/inventory?low_stock=true&page=2&limit=1",
    "/api/inventory?stock=low",
    "/api/inventory?stock=out&limit=1",
    "/api/inventory?stock=low&page=9",
    "/api/inventory?product_id=1",
    "/api/inventory?product_id=1&stock=out&page=1",
    "/api/inventory/1",
    "/api/inventory/99",
)
CHANGE_LISTS = reads(
    *(
        f"/api/inventory/{listed}?{query}"
        for listed in ("1/history", "changes")
        for query in (
            "",
            "limit=1&before=3",
            "limit=2&before=5",
            "after=0&limit=3",
            "after=3&limit=4",
            "after=999",
            f"from_date={DAY}T22:16:20Z",
            f"from_date={DAY}T22:16:20.001Z",
            f"to_date={DAY}T22:16:20Z&limit=2",
            f"to_date={DAY}T22:16:19.999Z",
            f"from_date={DAY}&to_date={DAY}",
            f"from_date={DAY}&to_date={YESTERDAY}",
        )
    ),
    "/api/inventory/99/history",
    "/api/inventory/changes?updated_by=Ben",
    "/api/inventory/changes?updated_by=Ben&before=8",
    "/api/inventory/changes?updated_by=%00",
    "/api/inventory/changes?product_id=2",
    "/api/inventory/changes?import_id=2",
    "/api/inventory/changes?import_id=3&product_id=1",
    "/api/inventory/changes?import_id=3&after=0&limit=1",
    f"/api/inventory/changes?product_id=1&updated_by=Ann&from_date={DAY}",
    "/api/inventory/changes?product_id=99&after=1",
)
EXPORTS = reads(
    *(
        f"/api/{exported}/export?{query}"
        for exported in ("products", "inventory")
        for query in ("format=csv", "format=csv&delimiter=;", "format=csv&stock=low", "", "stock=out")
    ),
    "/api/inventory/reorder",
    "/api/inventory/reorder?group_by=shelf",
    "/api/inventory/reorder/export?format=csv&group_by=shelf",
    "/api/inventory/export?format=csv&include_history=true",
    "/api/inventory/export?format=csv&include_history=true&stock=low",
    "/api/inventory/export?include_history=true",
    "/api/products/import/template",
)
LISTS = [*PRODUCT_LISTS, *LEVEL_LISTS, *CHANGE_LISTS, *EXPORTS]
SHEET = (
    (
        "product_code",
        "description",
        "category",
        "initial_level",
        "minimum_level",
        "maximum_level",
        "attr:shelf",
        "other_codes",
    ),
    (INK, "Ink, blue", None, 3, 2, None, "C 1"),
    ("INK-NEW", "Ink, blue", None, 3, 2, None, "C 1", f"{INK}; INK-BOX*12 (a \\(dozen\\))"),
    ("NEW-1", "a \\ backslash and \\N", "Misc", 7, None, None, "牛 \\t", "N-1*6 (box); N\\;2"),
    (None, "without a code", None, 1, None, None, None, "N-3"),
    ("NEW-5", "a code of the pen", None, 1, None, None, None, "BOX-6"),
    ("NEW-4", "tab\tbetween", None, 1, None, None, None),
    ("NEW-2", "plain", None, None, None, None, None),
    (PEN, "Blue pen", "Office", 2**53 - 1, 9, 5, "D"),
    (CABLE, "100 % _copper_ \\ cable", None, 2**40, None, 2**50, "Z \\ 9"),
    ("NEW-2", "again", None, None, None, None, None),
    ("NEW-3", "a wrong level", None, -1, None, None, None),
    ("ABC", None, None, 6, None, None, None),
    ("MISSING", None, None, 6, None, None, None),
)


WORKBOOK = xlsx(SHEET)


def sheet() -> FormData:
    """Return an upload that creates, changes and repeats products, some of them wrongly."""
    return form_data(WORKBOOK, filename="catalogue.xlsx")


def imports(query: str, **headers: str) -> Step:
    """Return an import of the sheet."""
    return Step("POST", f"/api/products/import?{query}", sheet, headers)


IMPORTS = [
    Step("POST", "/api/products/import", lambda: form_data(b"no workbook", filename="catalogue.xlsx")),
    *(imports(f"dry_run=true&mode={mode}") for mode in ("skip", "update", "count", "receive")),
    imports("dry_run=true&refused=xlsx&mode=update"),
    imports("dry_run=true&make_codes=true&mode=update"),
    imports("mode=skip&make_codes=true"),
    imports("mode=update", Accept="text/event-stream"),
    *(imports(f"dry_run=true&mode={mode}") for mode in ("skip", "update", "count", "receive")),
    imports("mode=count"),
    *2 * [imports("mode=receive", **{KEY: "import-1"})],
    imports("mode=count", **{KEY: "import-1"}),
    imports("mode=receive"),
    imports("mode=receive"),
]


def png() -> bytes:
    """Return a small image."""
    file = BytesIO()
    Image.new("L", (8, 8), 0).save(file, "png")
    return file.getvalue()


def image(name: str, content: bytes) -> Step:
    """Return the upload of an image."""
    return Step("PUT", f"/api/codes/images/{name}", content, {"Content-Type": "image/png"})


LABELS = [
    Step("PUT", "/api/codes/layouts/shelf", {"sheet": "L7160", "include_description": True}),
    Step("PUT", "/api/codes/layouts/Aisle", {"sheet": "L7165", "lines": ["{shelf}"]}),
    Step("PUT", "/api/codes/layouts/shelf", {"sheet": "L7160", "include_category": True, "include_unit": True}),
    Step("PUT", "/api/codes/layouts/wrong", {"sheet": "none"}),
    *reads("/api/codes/layouts", "/api/codes/layouts/shelf", "/api/codes/layouts/missing"),
    Step("DELETE", "/api/codes/layouts/Aisle"),
    Step("DELETE", "/api/codes/layouts/Aisle"),
    *(image(name, png()) for name in ("logo", "Mark", "logo")),
    image("wrong", b"no image"),
    *reads("/api/codes/images", "/api/codes/images/logo", "/api/codes/images/missing"),
    Step("POST", "/api/codes/printable", {"products": [PEN, "NEW-1"], "layout": "shelf"}),
    Step(
        "POST", "/api/codes/printable", {"products": [PEN], "layout": {"name": "shelf", "lines": ["{shelf} {price}"]}}
    ),
    Step("POST", "/api/codes/printable", {"products": [PEN], "layout": {"image": {"name": "logo", "width": 5}}}),
    Step("POST", "/api/codes/printable", {"products": [PEN, "unknown"], "layout": {"include_description": True}}),
    Step("POST", "/api/codes/printable", {"products": [PEN], "layout": "missing"}),
    Step("DELETE", "/api/codes/images/logo"),
    Step("DELETE", "/api/codes/images/logo"),
]
CODES = [
    Step("POST", "/api/codes/barcode", {"product_code": PEN, "format": "EAN13"}),
    Step("POST", "/api/codes/qrcode", {"product_code": INK, "include_product_info": True}),
    Step("POST", "/api/codes/qrcode", {"product_code": "unknown", "include_product_info": True}),
    Step(
        "POST",
        "/api/codes/batch",
        {
            "requests": [
                {"kind": "qrcode", "product_code": code, "include_product_info": True} for code in (CABLE, "unknown")
            ]
        },
    ),
    *reads(f"/api/codes/barcode/{PEN}.svg", f"/api/codes/barcode/{PEN}.png"),
    *reads(*(f"/api/codes/qrcode/{name}?include_product_info=true" for name in (f"{INK}.svg", f"{INK}.png"))),
    *reads("/api/codes/qrcode/unknown.svg?include_product_info=true", "/api/codes/formats", "/api/codes/sheets"),
]
PRINTED = b'"state":"printed"'
THREE_LABELS = {"products": [PEN, {"code": INK, "copies": 2}], "layout": "shelf"}
PRINTING = [
    *thrice("POST", JOBS, "print-1", THREE_LABELS, {**THREE_LABELS, "products": [PEN]}),
    Step("POST", JOBS, {"products": ["unknown"], "layout": "shelf"}),
    Step("GET", f"{JOBS}/1", until=PRINTED),
    Step("POST", f"{JOBS}/1/cancel"),
    Step("POST", f"{JOBS}/1/resend", {"from_label": 4}),
    *thrice("POST", f"{JOBS}/1/resend", "resend-1", {"from_label": 2}, {"from_label": 1}),
    Step("GET", f"{JOBS}/2", until=PRINTED),
    Step("POST", STOPPED, {"products": [CABLE], "layout": "shelf"}),
    Step("GET", f"{STOPPED}/3", until=b"the printer is paused"),
    Step("GET", "/api/printers"),
    Step("POST", f"{STOPPED}/3/resend", {}),
    Step("POST", f"{STOPPED}/3/settle"),
    Step("POST", f"{STOPPED}/3/cancel"),
    Step("GET", f"{STOPPED}/3", until=b'"state":"cancelled"'),
    Step("POST", f"{JOBS}/99/cancel"),
    Step("POST", f"{JOBS}/99/resend", {}),
    Step("POST", f"{JOBS}/2/settle"),
    Step("POST", f"{JOBS}/99/settle"),
    *reads(
        JOBS,
        f"{JOBS}?limit=1",
        f"{JOBS}?before=2",
        f"{JOBS}?unsettled=true",
        f"{JOBS}/3",
        STOPPED,
        "/api/printers/none/jobs",
    ),
]
SESSIONS = [
    Step("POST", "/api/page/session", {"api_key": "another key"}),
    Step("POST", "/api/page/session", {"api_key": API_KEY}),
    Step("DELETE", "/api/page/session"),
]
DOCUMENTS = reads("/api/openapi.json", "/api/docs", "/api/docs/start.js")
END = [
    Step("DELETE", "/api/products/1"),
    Step("DELETE", "/api/products/1"),
    *(keyed("DELETE", f"/api/products/{number}", "delete-1") for number in (2, 2, 3)),
    keyed("POST", "/api/products", "create-1", KEYED),
    created(PEN, "a new one"),
    scan(f"]E0{PEN}", delta=3, idempotency_key="scan-1"),
    Step("POST", "/api/inventory/11/adjust", {"delta": 1}),
    Step("POST", "/api/inventory/changes/3/undo", {}),
]
DAY_IN_A_SHOP = (
    [*reads("/api/products", "/api/products?search=e&sort=description"), *LEVEL_LISTS, *EXPORTS],
    PRODUCTS,
    [*LEVELS, *SCANS, *UNDOS],
    FURTHER_CODES,
    LISTS,
    IMPORTS,
    [*LISTS, *LABELS, *CODES, *PRINTING, *SESSIONS, *DOCUMENTS],
    END,
    [*LEVEL_LISTS, *CHANGE_LISTS, *EXPORTS],
)
"""The stages of the day; the clock advances before each."""
