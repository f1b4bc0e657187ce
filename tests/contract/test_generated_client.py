from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from barcodesvc.api.openapi.document import document_bytes
from barcodesvc.api.routes import ROUTES
from tests.contract.served import Served

pytest.importorskip("openapi_python_client", reason="the generator is not installed; `scripts/setup test` does it")
PACKAGE = "generated_client"
GENERATION_WAIT = 120.0
"""Seconds after which the generator is given up; it takes some 5."""


class Generated:
    """The generated package and a client of it."""

    def __init__(self, url: str) -> None:
        self.models = importlib.import_module(f"{PACKAGE}.models")
        self.types = importlib.import_module(f"{PACKAGE}.types")
        self._client = importlib.import_module(f"{PACKAGE}.client").Client(base_url=url)

    def call(self, operation: str, *path: Any, **rest: Any) -> Any:
        """Call an operation by its tag and name and return the answer with its status."""
        module: ModuleType = importlib.import_module(f"{PACKAGE}.api.{operation}")
        return module.sync_detailed(*path, client=self._client, **rest)

    def close(self) -> None:
        """Close its connections."""
        self._client.get_httpx_client().close()

    def made(self, model: str, **fields: Any) -> Any:
        """Return a generated model."""
        return getattr(self.models, model)(**fields)

    def product(self) -> Any:
        """Create a product and return it."""
        draft = self.made("ProductDraft", product_code="4006381333931", description="Highlighter", initial_level=25)
        answer = self.call("products.create_product", body=draft)
        assert answer.status_code == 201
        return answer.parsed.data


@pytest.fixture(scope="session")
def generated_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a package that was generated from the document without a warning."""
    folder = tmp_path_factory.mktemp("generated")
    document = folder / "openapi.json"
    document.write_bytes(document_bytes(ROUTES))
    options = ["--meta", "none", "--fail-on-warning", "--config", str(Path(__file__).with_name("generator.yml"))]
    run = subprocess.run(  # noqa: S603 - the generator
        [
            *(sys.executable, "-m", "openapi_python_client", "generate", *options),
            *("--path", str(document), "--output-path", str(folder / PACKAGE)),
        ],
        capture_output=True,
        text=True,
        timeout=GENERATION_WAIT,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture
def generated(served: Served, generated_package: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Generated]:
    """Return a generated client that speaks to the service."""
    monkeypatch.syspath_prepend(generated_package)
    client = Generated(served.url)
    yield client
    client.close()


def test_a_generated_client_works(generated: Generated) -> None:
    """A generated client creates, reads, counts, draws, scans and imports, and gets errors as objects."""
    product = generated.product()
    assert generated.call("products.get_product", product.id).parsed.data == product
    page = generated.call("products.list_products", search="high", limit=1).parsed
    assert ([one.product_code for one in page.data], page.pagination.total) == (["4006381333931"], 1)

    counted = generated.call(
        "inventory.set_level", product.id, body=generated.made("LevelUpdate", new_level=8, updated_by="till 2")
    )
    assert (counted.parsed.data.old_level, counted.parsed.data.new_level) == (25, 8)
    changes = generated.call("inventory.history", product.id).parsed.data
    assert [change.new_level for change in changes] == [8, 25]

    ean = generated.models.FormatName.EAN13
    wanted = generated.made("BarcodeRequest", product_code="4006381333931", format_=ean)
    assert generated.call("codes.barcode", body=wanted).parsed.data.barcode_svg.startswith("<svg")
    scan = generated.made("ScannedText", code_data="]E04006381333931")
    assert generated.call("codes.decode_scan", body=scan).parsed.data.product.id == product.id


def test_a_generated_client_counts_and_undoes(generated: Generated) -> None:
    """Scans that are counted together come back with their changes, which are listed with levels, and undone."""
    product = generated.product()
    taken = generated.made("ScanCount", code_data="4006381333931", delta=-2, idempotency_key="1")
    unknown = generated.made("ScanCount", code_data="no such code", delta=1)
    form = generated.made("ScansForm", scans=[taken, taken, unknown])
    first, again, refused = generated.call("codes.count_scans", body=form).parsed.data
    assert (first.data.change.new_level, again.replayed, refused.code) == (23, True, "PRODUCT_NOT_FOUND")
    undone = generated.call("inventory.undo_change", first.data.change.id, body=generated.made("ChangeUndo"))
    assert (undone.parsed.data.undoes, undone.parsed.data.new_level) == (first.data.change.id, 25)
    page = generated.call("inventory.list_changes", product_id=product.id, limit=2).parsed
    assert [change.undone_by for change in page.data] == [None, undone.parsed.data.id]
    assert page.data[0].product_code == "4006381333931"
    [stocked] = generated.call("products.list_products", include_levels=True).parsed.data
    assert (stocked.id, stocked.current_level) == (product.id, 25)
    levels = generated.call("inventory.list_levels", limit=1).parsed
    assert (levels.data[0].current_level, levels.pagination.total) == (25, 1)


def test_a_generated_client_exchanges_files(generated: Generated) -> None:
    """Pictures and sheets come as bytes, and a file that was downloaded is imported."""
    generated.product()
    picture = generated.call("codes.barcode_png", "4006381333931", width=3.0).parsed.payload.read()
    assert picture.startswith(b"\x89PNG")
    form = generated.made("ImageForm", image=generated.types.File(BytesIO(picture), "code.png"))
    assert generated.call("codes.decode_scan", body=form).parsed.data.match == "exact"
    template = generated.call("products.import_template").parsed.payload.read()
    form = generated.made("ImportForm", file=generated.types.File(BytesIO(template), "template.xlsx"))
    imported = generated.call("products.import_products", body=form, dry_run=True)
    assert (imported.parsed.data.imported, imported.parsed.data.preview.header_row) == (1, 1)


def test_a_generated_client_gets_errors_as_objects(generated: Generated) -> None:
    """A refusal is the object of its error, with its details by name."""
    draft = generated.made("ProductDraft", product_code=" ", description="")
    refused = generated.call("products.create_product", body=draft)
    assert type(refused.parsed).__name__ == "InvalidInput"
    assert {problem.field for problem in refused.parsed.details.errors} == {"product_code", "description"}
    missing = generated.call("products.get_product", 4711)
    assert (missing.status_code, missing.parsed.details.id) == (404, 4711)
