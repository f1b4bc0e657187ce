"""What pages of others can make a browser do with the page's session: nothing that counts, from any host or port."""

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import Chromium
from tests.page.conftest import BrowserMaker, ServiceMaker
from tests.page.scanning import level, made
from tests.served import Service

KEY = "a-key-that-is-long-enough"
TRY_ALL = """
const [service, finished] = [arguments[0], arguments[1]];
const scans = JSON.stringify({ scans: [{ code_data: "A-1", delta: -1 }] });
const form = new FormData();
form.append("file", new Blob(["SKU,Name\\nB-1,x"]), "x.csv");
const ways = [
  [service + "/api/codes/scans", { method: "POST", body: scans, headers: { "Content-Type": "application/json" } }],
  [service + "/api/codes/scans", { method: "POST", body: scans, mode: "no-cors" }],
  [service + "/api/codes/scan", { method: "POST", body: '{"code_data":"A-1","delta":-1}', mode: "no-cors" }],
  [service + "/api/products/import", { method: "POST", body: form, mode: "no-cors" }],
  [service + "/api/inventory/1", { method: "PUT", body: '{"new_level":0}' }],
  [service + "/api/products/1", { method: "DELETE" }],
  [service + "/api/products", {}],
];
Promise.all(ways.map(([address, options]) =>
  fetch(address, { ...options, credentials: "include" }).then((response) => response.text(), () => "")
)).then((texts) => finished(texts.join("")));
"""
"""Sends what a foreign page can send, with the browser's cookies, and returns everything that it could read."""
FRAMED = """
const [service, finished] = [arguments[0], arguments[1]];
const frame = document.createElement("iframe");
frame.src = service + "/";
frame.onload = () => finished(frame.contentDocument === null);
document.body.append(frame);
"""


@pytest.fixture
def foreign_port(tmp_path: Path) -> Iterator[int]:
    """Serve an empty page on another port, and return the port."""
    (tmp_path / "foreign").mkdir()
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path / "foreign")
    ) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


def _tried(browser: Chromium, script: str, address: str) -> Any:
    browser.driver.set_script_timeout(20)
    return browser.driver.execute_async_script(script, address)


def test_a_foreign_page_changes_nothing(service: Service, make_unwatched: BrowserMaker, foreign_port: int) -> None:
    """Not even in a browser with the page's cookie, which every port of its host gets; nor can it frame the page.

    A rebound name resolves to the service, so the browser treats both as one origin.
    """
    made(service, "A-1", "secret", initial_level=5)
    browser = make_unwatched("--host-resolver-rules=MAP evil.example 127.0.0.1")
    browser.open(service.address)
    for host in ("localhost", "127.0.0.1"):
        browser.open(f"http://{host}:{foreign_port}/")
        assert "secret" not in _tried(browser, TRY_ALL, service.address)
        assert level(service) == 5
    assert _tried(browser, FRAMED, service.address)
    assert any("frame-ancestors" in one.message for one in browser.complaints())
    rebound = service.address.replace("127.0.0.1", "evil.example")
    browser.open(rebound)
    texts = _tried(browser, TRY_ALL, rebound)
    assert "BARCODESVC_ALLOWED_HOSTS" in texts
    assert "secret" not in texts
    assert level(service) == 5


def test_a_foreign_page_cannot_use_a_session_that_a_key_has_opened(
    make_service: ServiceMaker, make_unwatched: BrowserMaker, foreign_port: int
) -> None:
    """The cookie opens the API only for the service's own page."""
    service = make_service(api_key=KEY)
    browser = make_unwatched()
    browser.open(service.address)
    body = json.dumps({"api_key": KEY})
    opened = browser.run(
        "return fetch('/api/page/session', {method: 'POST', body: arguments[0],"
        "headers: {'Content-Type': 'application/json'}}).then(() => fetch('/api/products')).then((one) => one.status)",
        body,
    )
    assert opened == 200
    browser.open(f"http://127.0.0.1:{foreign_port}/")
    assert "success" not in _tried(browser, TRY_ALL, service.address)
