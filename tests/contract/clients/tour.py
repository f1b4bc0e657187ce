"""Every call of tests/contract/tour.md that answers in JSON, made by the client that openapi-python-client generates.

Arguments: the address of the service, and the folder that scripts/demo has filled. Each request is printed as a line of
JSON, for the test that compares them with the page.
"""

import json
import sys
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import httpx
from barcodesvc_client import AuthenticatedClient, models
from barcodesvc_client.api.codes import (
    barcode,
    batch,
    count_scan,
    count_scans,
    decode_scan,
    delete_image,
    delete_layout,
    formats,
    get_layout,
    list_images,
    list_layouts,
    printable,
    qrcode,
    save_layout,
    sheets,
)
from barcodesvc_client.api.health import health
from barcodesvc_client.api.inventory import (
    adjust_level,
    get_level,
    history,
    list_changes,
    list_levels,
    list_reorders,
    set_level,
    undo_change,
)
from barcodesvc_client.api.openapi import openapi_json
from barcodesvc_client.api.page import end_page_session, open_page_session
from barcodesvc_client.api.printers import (
    cancel_print_job,
    get_print_job,
    list_print_jobs,
    list_printers,
    print_labels,
    resend_print_job,
    settle_print_job,
)
from barcodesvc_client.api.products import (
    catalogue,
    change_product,
    create_product,
    delete_product,
    get_product,
    import_products,
    list_attribute_names,
    list_products,
)
from barcodesvc_client.types import File

T = TypeVar("T")


def expect(response: object, kind: type[T]) -> T:
    """Return the response as the type that it is expected to have; raises TypeError with what it is instead."""
    if not isinstance(response, kind):
        raise TypeError(f"expected {kind.__name__}, got {response}")
    return response


def report(request: httpx.Request) -> None:
    """Print a request."""
    is_json = request.headers.get("Content-Type") == "application/json"
    body = json.loads(request.read()) if is_json else None
    line: dict[str, Any] = {"method": request.method, "path": request.url.path, "body": body}
    sys.stdout.write(json.dumps({**line, "query": dict(request.url.params)}) + "\n")


def uploaded(path: Path) -> File:
    """Return a file for a form."""
    return File(BytesIO(path.read_bytes()), path.name)


def products(client: AuthenticatedClient, demo: Path) -> None:
    """Create, import, list, change and delete products."""
    draft = models.ProductDraft(
        product_code="4006381333931", description="Highlighter", category="Office", initial_level=25, minimum_level=10
    )
    created = expect(create_product.sync(client=client, body=draft), models.ProductResponse)
    workbook = demo / "catalogue.xlsx"
    form = models.ImportForm(file=uploaded(workbook))
    imported = expect(import_products.sync(client=client, body=form), models.ImportResponse)
    assert imported.data.imported == 5
    form = models.ImportForm(file=uploaded(workbook))
    preview = import_products.sync(client=client, body=form, mode=models.ImportProductsMode.UPDATE, dry_run=True)
    assert expect(preview, models.ImportResponse).data.updated == 5
    found = expect(list_products.sync(client=client, search="WATER", limit=10), models.ProductsResponse)
    assert found.pagination.total == 1
    expect(catalogue.sync(client=client), models.CatalogueResponse)
    expect(list_attribute_names.sync(client=client), models.AttributeNamesResponse)
    stocked = expect(list_products.sync(client=client, include_levels=True, limit=1), models.ProductsResponse)
    assert expect(stocked.data[0], models.StockedProduct).current_level == 25
    expect(get_product.sync(created.data.id, client=client), models.ProductResponse)
    change = models.ProductChange(description="Highlighter, yellow", maximum_level=100)
    expect(change_product.sync(created.data.id, client=client, body=change), models.ProductResponse)
    expect(delete_product.sync(6, client=client), models.Deleted)


def inventory(client: AuthenticatedClient) -> None:
    """Set, adjust and list levels, and undo changes."""
    sale = models.LevelUpdate(new_level=8, expected_level=25, change_reason="sold", updated_by="till 2")
    expect(set_level.sync(1, client=client, body=sale), models.ChangedLevelResponse)
    late = set_level.sync(1, client=client, body=models.LevelUpdate(new_level=24, expected_level=25))
    assert expect(late, models.LevelChanged).details.current_level == 8
    low = expect(list_levels.sync(client=client, low_stock=True, product_id=1), models.LevelsResponse)
    assert low.data[0].current_level == 8
    expect(list_reorders.sync(client=client, group_by="supplier"), models.ReorderResponse)
    expect(get_level.sync(1, client=client), models.LevelResponse)
    first = expect(history.sync(1, client=client, from_date=date(2023, 11, 1), limit=1), models.HistoryResponse)
    assert first.data[0].undone_by is None
    for delta, why, key in ((-2, "sold", "till-2/4711"), (2, "came back", "till-2/4712")):
        adjustment = models.LevelAdjustment(delta=delta, change_reason=why, updated_by="till 2", idempotency_key=key)
        expect(adjust_level.sync(1, client=client, body=adjustment), models.ChangedLevelResponse)
    listed = list_changes.sync(client=client, updated_by="till 2", from_date=date(2023, 11, 14), limit=1)
    change = expect(listed, models.ChangesResponse).data[0]
    reason = models.ChangeUndo(change_reason="wrong product", updated_by="till 2")
    undone = expect(undo_change.sync(change.id, client=client, body=reason), models.ChangeResponse).data
    again = expect(undo_change.sync(change.id, client=client, body=models.ChangeUndo()), models.AlreadyUndone)
    assert again.details.undone_by == undone.id
    expect(undo_change.sync(undone.id, client=client, body=models.ChangeUndo()), models.ChangeResponse)
    below = adjust_level.sync(1, client=client, body=models.LevelAdjustment(delta=-9))
    assert expect(below, models.LevelOutOfRange).details.least_delta == -8


def codes(client: AuthenticatedClient, demo: Path) -> None:
    """Draw codes and labels."""
    wanted = models.BarcodeRequest(product_code="4006381333931", format_=models.FormatName.EAN13, width=3)
    expect(barcode.sync(client=client, body=wanted), models.BarcodeResponse)
    wrong = models.BarcodeRequest.from_dict({"product_code": "4006381333932", "format": "EAN13"})
    assert expect(barcode.sync(client=client, body=wrong), models.InvalidContent).details.position == 13
    described = models.QrRequest(product_code="4006381333931", include_product_info=True)
    expect(
        expect(qrcode.sync(client=client, body=described), models.QrCodeResponse).data.embedded_data,
        models.EmbeddedData,
    )
    narrow = models.BarcodeRequest(product_code="96385074", format_=models.FormatName.EAN8, dpi=300, width=3)
    assert expect(barcode.sync(client=client, body=narrow), models.BarcodeResponse).data.warnings
    both = models.BatchForm(
        requests=[
            models.BarcodeEntry(kind="barcode", product_code="A-1", width=1),
            models.QrEntry(kind="qrcode", product_code="A-1", size=9),
        ]
    )
    drawn, refused = expect(batch.sync(client=client, body=both), models.BatchResponse).data
    expect(drawn, models.BatchedBarcode)
    assert expect(refused, models.BatchedInvalidInput).status == 400
    assert expect(formats.sync(client=client), models.FormatsResponse).data
    wide = models.PrintRequest(products=["BOLT-M8x40"], layout=models.Layout(label_width=80, labels_per_row=3))
    expect(printable.sync(client=client, body=wide), models.InvalidInput)
    assert expect(sheets.sync(client=client), models.SheetsResponse).data
    layout = models.LayoutToSave.from_dict({"sheet": "L7160", "include_description": True})
    expect(save_layout.sync("shelf", client=client, body=layout), models.LayoutResponse)
    assert expect(list_layouts.sync(client=client), models.LayoutsResponse).data[0].name == "shelf"
    assert expect(get_layout.sync("shelf", client=client), models.LayoutResponse).data.layout["sheet"] == "L7160"
    expect(delete_layout.sync("shelf", client=client), models.DeletedName)
    png, media = (demo / "barcode.png").read_bytes(), {"Content-Type": "image/png"}
    client.get_httpx_client().put("/api/codes/images/logo", content=png, headers=media).raise_for_status()
    assert expect(list_images.sync(client=client), models.ImagesResponse).data[0].name == "logo"
    expect(delete_image.sync("logo", client=client), models.DeletedName)


def scans(client: AuthenticatedClient, demo: Path) -> None:
    """Look up what was scanned, and count it."""
    text = models.ScannedText(code_data="]C10104006381333931\u001d10LOT7")
    gs1 = expect(decode_scan.sync(client=client, body=text), models.DecodedResponse).data.gs1
    assert expect(gs1, models.Gs1Data).lot == "LOT7"
    photo = models.ImageForm(image=uploaded(demo / "barcode.png"))
    assert expect(decode_scan.sync(client=client, body=photo), models.DecodedResponse).data.codes
    taken = models.ScanCount(code_data="]E04006381333931", delta=-1, updated_by="scanner 3")
    assert expect(count_scan.sync(client=client, body=taken), models.CountedResponse).data.inventory.current_level == 7
    queued = models.ScanCount(
        code_data="4006381333931",
        delta=-2,
        idempotency_key="s3/1",
        scanned_at=datetime.now(UTC) - timedelta(minutes=3),
    )
    counted = models.ScanCount(code_data="4006381333931", new_level=7)
    looked_up = models.ScanCount(code_data="4006381333931")
    unknown = models.ScanCount(code_data="no-such", delta=1)
    form = models.ScansForm(scans=[queued, queued, counted, looked_up, unknown])
    first, again, *_, missing = expect(count_scans.sync(client=client, body=form), models.ScansResponse).data
    assert expect(first, models.BatchedScan).data.inventory.current_level == 5
    assert expect(again, models.BatchedScan).replayed
    assert expect(missing, models.BatchedUnresolvedScan).details.reason == "no_product_matches"


def printers(client: AuthenticatedClient) -> None:
    """Look for printers, and ask one that is not there for everything that a printer does."""
    assert expect(list_printers.sync(client=client), models.PrintersResponse).data == []
    wanted = models.JobRequest(products=[models.PrintItem(code="BOLT-M8x40", copies=3)])
    absent = expect(print_labels.sync("zebra", client=client, body=wanted), models.PrinterNotFound)
    assert absent.details.name == "zebra"
    expect(list_print_jobs.sync("zebra", client=client), models.PrinterNotFound)
    expect(get_print_job.sync("zebra", 1, client=client), models.PrinterNotFound)
    expect(cancel_print_job.sync("zebra", 1, client=client), models.PrinterNotFound)
    rest = models.ResendRequest(from_label=2)
    expect(resend_print_job.sync("zebra", 1, client=client, body=rest), models.PrinterNotFound)
    expect(settle_print_job.sync("zebra", 1, client=client), models.PrinterNotFound)


def service(client: AuthenticatedClient) -> None:
    """Ask the service about itself."""
    assert expect(openapi_json.sync(client=client), models.OpenapiJsonResponse200)["openapi"] == "3.1.0"
    login = models.Login(api_key="correct-horse-battery-staple")
    expect(open_page_session.sync(client=client, body=login), models.SessionResponse)
    expect(end_page_session.sync(client=client), models.SessionResponse)
    assert expect(health.sync(client=client), models.HealthReport).status == "OK"


def main(url: str, demo: Path) -> None:
    """Make every call."""
    key = "correct-horse-battery-staple"
    hooks = {"event_hooks": {"request": [report]}}
    client = AuthenticatedClient(url, key, prefix="", auth_header_name="X-API-Key", httpx_args=hooks)
    with client:
        products(client, demo)
        inventory(client)
        codes(client, demo)
        scans(client, demo)
        printers(client)
        service(client)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
