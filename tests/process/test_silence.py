"""The service talks only to its clients."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.forms import KIND, form, part
from tests.process.in_flight import workbook
from tests.served import Service

WATCH = """
import atexit, json, runpy, sys
if {hidden}: sys.modules["uvloop"] = None
seen = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "subprocess.Popen"):
        seen.append([event, *(str(argument) for argument in arguments[-2 if event == "socket.connect" else 0:])])
sys.addaudithook(watch)
atexit.register(lambda: open({report!r}, "w").write(json.dumps(seen)))
sys.exit(runpy.run_module("barcodesvc", run_name="__main__"))
"""


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_no_socket_is_opened_to_anybody(start: Callable[..., Service], tmp_path: Path, loop: str) -> None:
    """While every kind of endpoint is used, the process connects nowhere, resolves no name and starts only its workers.

    uvloop opens sockets where Python's audit events do not reach, hence both loops and a look at the connections.
    """
    report = tmp_path / "seen.json"
    service = start(sys.executable, "-c", WATCH.format(hidden=loop == "asyncio", report=str(report)))
    for method, path, body in _one_call_of_each_kind():
        assert service.exchange(method, path, body)[0] in (200, 201), path
    upload = form(part("file", workbook(3)))
    assert service.exchange("POST", "/api/products/import", upload, **{"Content-Type": KIND})[0] == 200
    for connection in psutil.Process(service.process.pid).net_connections():
        assert connection.laddr.port == service.port
    assert service.stop()[0] == 0
    expected = (["socket.getaddrinfo", "127.0.0.1"], ["subprocess.Popen", sys.executable])
    assert [event for event in json.loads(report.read_text()) if event[:2] not in expected] == []


def _one_call_of_each_kind() -> list[tuple[str, str, Any]]:
    printed = {"products": ["A-1"] * 70, "layout": {"include_description": True}}
    pages = [("POST", "/api/codes/printable", {"products": ["A-1"], "code_type": "qrcode"})] * 70
    return [
        ("POST", "/api/products", {"product_code": "A-1", "description": "Blue pen"}),
        ("PUT", "/api/products/1", {"category": "Pens"}),
        ("GET", "/api/products", None),
        ("PUT", "/api/inventory/1", {"new_level": 3}),
        ("GET", "/api/inventory", None),
        ("GET", "/api/inventory/1/history", None),
        ("GET", "/api/inventory/export?format=csv", None),
        ("GET", "/api/inventory/export?include_history=1", None),
        ("POST", "/api/codes/barcode", {"product_code": "A-1"}),
        ("POST", "/api/codes/qrcode", {"product_code": "A-1", "include_product_info": True}),
        ("POST", "/api/codes/decode", {"code_data": "A-1"}),
        ("POST", "/api/codes/printable", printed),
        *pages,
        ("GET", "/health", None),
        ("DELETE", "/api/products/1", None),
    ]
