"""A batch of codes: each entry is the envelope of the single call; what batches leave to others, and behind them."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from barcodesvc import service
from barcodesvc.api.guard.admission import ADMISSION
from barcodesvc.api.keys import SERVICE
from barcodesvc.api.resources import code_batch
from barcodesvc.codes.rendering import BarcodeKey, Rendering
from barcodesvc.validation import Model, validated
from tests.api.drawn_codes import drawn
from tests.api.replies import problems
from tests.conftest import JSON_HEAD
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

JSON = {"Content-Type": "application/json"}
BATCH = "/api/codes/batch"
MOST = 500
ENTRIES = (
    ("barcode", '{"product_code":"A-1"}'),
    ("qrcode", '{"product_code":"A-1"}'),
    ("barcode", '{"product_code":"4006381333931+12","format":"ean-13","width":3,"height":20.5,"displayValue":false}'),
    ("barcode", '{"product_code":"4006381333930","format":"EAN13"}'),
    ("barcode", '{"product_code":"A-1","format":"datamatrix","dpi":203,"width":2}'),
    ("barcode", '{"product_code":"(10)LOT7","format":"GS1-128","dpi":300,"module_mm":0.1}'),
    ("barcode", '{"product_code":"A-1","dpi":4800,"module_mm":10}'),
    ("barcode", '{"product_code":"A-1","width":2,"module_mm":0.3}'),
    ("barcode", '{"product_code":"A-1","format":"CODE12"}'),
    ("barcode", '{"product_code":"A-1","size":300,"Kind":"barcode","x":[1],"":null}'),
    ("barcode", "{}"),
    ("barcode", '{"product_code":null,"format":null,"width":null,"dpi":null}'),
    ("barcode", '{"product_code":["A-1"],"format":{"a":1},"width":[2],"height":{},"displayValue":[]}'),
    ("barcode", '{"product_code":12,"format":128,"width":"2","height":true,"displayValue":1,"dpi":"300"}'),
    ("barcode", '{"product_code":"A-1","width":NaN,"height":Infinity,"dpi":-Infinity,"module_mm":1e400}'),
    ("barcode", '{"product_code":"A-1","width":' + "9" * 400 + ',"height":' + "9" * 30 + "}"),
    ("barcode", '{"product_code":"' + "x" * 200 + '"}'),
    ("barcode", '{"product_code":"","format":""}'),
    ("barcode", '{"product_code":"a\\u0000b"}'),
    ("barcode", '{"product_code":"\\ud83d\\ude00","x\\u0000y":1,"\\ud83d\\ude00":2}'),
    ("barcode", '{"product_code":"A-1","product_code":"A-2"}'),
    ("barcode", '{"product_code":"A-1",' + ",".join(f'"x{n}":{n}' for n in range(1100)) + "}"),
    ("qrcode", '{"product_code":"A-1","size":500,"error_correction":"H"}'),
    ("qrcode", '{"product_code":"A-1","include_product_info":true}'),
    ("qrcode", '{"product_code":"A-1","include_product_info":true,"module_mm":0.1}'),
    ("qrcode", '{"product_code":"B-1","include_product_info":true}'),
    ("qrcode", '{"product_code":"' + "a" * 64 + '","size":29}'),
    ("qrcode", '{"product_code":"A-1","error_correction":["M"],"include_product_info":"true"}'),
    ("qrcode", '{"product_code":"<>&\\"\'</script>"}'),
)
"""Bodies of single calls, as text because JSON allows spellings that Python's encoder does not produce."""


def _entry(kind: str, body: str) -> str:
    """Return the body of a single call as an entry of a batch."""
    return body.replace("{", f'{{"kind":"{kind}"' + ("" if body == "{}" else ","), 1)


def _body(entries: Sequence[str]) -> bytes:
    return b'{"requests":[%b]}' % ",".join(entries).encode()


async def _batch(client: Client, *entries: str) -> list[dict[str, Any]]:
    response = await client.post(BATCH, data=_body(entries), headers=JSON)
    reply = await response.json()
    assert (response.status, list(reply)) == (200, ["success", "data"]), reply
    assert reply["success"] is True
    return list(reply["data"])


async def _single(client: Client, kind: str, body: str) -> Any:
    """Return the envelope of a single call, with its status as in a batch."""
    response = await client.post(f"/api/codes/{kind}", data=body, headers=JSON)
    return {**await response.json(), "status": response.status}


async def test_an_entry_is_the_envelope_of_the_single_call(shop: Client) -> None:
    """Each is the single call's envelope, good or bad, in the order of the requests, within groups and across them."""
    answered = await _batch(shop, *(_entry(*entry) for entry in ENTRIES))
    assert answered == [await _single(shop, *entry) for entry in ENTRIES]
    assert {entry.get("error", False) for entry in answered} == {False, True}


async def test_an_entry_that_is_no_object_is_refused_as_a_body_is(client: Client) -> None:
    """The error is the one of a single call with such a body, and the other entries are drawn."""
    good = _entry("barcode", '{"product_code":"A-1"}')
    for entry in ('"barcode"', "null", "[{}]", "NaN", f'"{"x" * 101}"'):
        first, second, third = await _batch(client, good, entry, good)
        assert second == await _single(client, "barcode", entry)
        assert second["message"] == "body: Input should be an object"
        assert first == third
        assert first["success"] is True


async def test_an_entry_without_a_known_kind_is_refused(client: Client) -> None:
    """The error names the field and the two kinds, and repeats what was sent unless it is a list or an object."""
    given: list[tuple[dict[str, Any], dict[str, Any]]] = [
        *(({"kind": kind}, {"value": kind}) for kind in ("Barcode", "qrcode ", "decode", "", 1, True)),
        *((entry, {}) for entry in ({}, {"kind": None}, {"kind": ["barcode"]}, {"kind": "x" * 101})),
    ]
    answered = await _batch(client, *(json.dumps({**entry, "product_code": "A-1"}) for entry, _ in given))
    for (_, repeated), reply in zip(given, answered, strict=True):
        problem = {"field": "kind", "message": "must be barcode or qrcode", **repeated}
        assert (reply["code"], reply["status"]) == ("VALIDATION_ERROR", 400)
        assert reply["details"] == {"reason": "invalid_input", "errors": [problem]}


@sweep(
    ("body", "field"),
    [
        ({}, "requests"),
        ({"requests": {}}, "requests"),
        ({"requests": []}, "requests"),
        ({"requests": [{"kind": "barcode", "product_code": "A-1"}] * 501}, "requests"),
        ({"requests": [1], "format": "EAN13"}, "format"),
        ({"Requests": [1], "requests": [1]}, "Requests"),
        ([], "body"),
        (None, "body"),
    ],
)
async def test_what_is_no_batch_is_refused(client: Client, body: object, field: str) -> None:
    """Anything but a list of 1 to 500 entries is a 400 for the whole batch, with the problem's name."""
    assert list(await problems(await client.post(BATCH, json=body))) == [field]


async def test_a_failing_database_fails_only_what_needs_it(shop: Client, break_database: Any) -> None:
    """An entry with product information is a DATABASE_ERROR, the others are drawn."""
    await break_database(shop)
    plain, of_product = '{"product_code":"A-1"}', '{"product_code":"A-1","include_product_info":true}'
    answered = await _batch(shop, _entry("qrcode", plain), _entry("qrcode", of_product), _entry("barcode", plain))
    assert [entry.get("code") for entry in answered] == [None, "DATABASE_ERROR", None]
    assert answered[1] == await _single(shop, "qrcode", of_product)


async def test_an_unforeseen_failure_of_one_entry_leaves_the_others_alone(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry gets the envelope of a failure; no input is known that causes one, hence the patch."""
    monkeypatch.setattr("barcodesvc.api.resources.code_batch.qr_response", None)
    body = {"requests": [{"kind": "qrcode", "product_code": "A"}, {"kind": "barcode", "product_code": "A"}]}
    failed, drawn = (await (await client.post("/api/codes/batch", json=body)).json())["data"]
    assert (failed["code"], failed["message"]) == ("GENERATION_ERROR", "the service failed; the log says why")
    assert drawn["success"] is True


class WatchedRenders:
    """Real renders of barcodes, counted by code and blocked while the gate is closed."""

    def __init__(self, real: Callable[[BarcodeKey], Rendering]) -> None:
        self.real = real
        self.gate = threading.Event()
        self.counts: Counter[str] = Counter()
        self.gate.set()

    def render(self, key: BarcodeKey) -> Rendering:
        """Count, wait for the gate, and render."""
        self.counts[key.content] += 1
        assert self.gate.wait(20)
        return self.real(key)


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchedRenders]:
    """Return the renders of barcodes, watched because real ones are too fast to overlap reliably."""
    watched = WatchedRenders(BarcodeKey.render)
    monkeypatch.setattr(BarcodeKey, "render", lambda key: watched.render(key))  # noqa: PLW0108 - it has to bind as a method
    yield watched
    watched.gate.set()


def _entries(*codes: str) -> list[str]:
    wanted = ({"kind": "barcode", "product_code": code, "width": 1, "height": 10} for code in codes)
    return [json.dumps(entry) for entry in wanted]


def _many(count: int = MOST) -> list[str]:
    return _entries(*(f"N-{number}" for number in range(count)))


async def _sent_batch(client: Client, entries: list[str]) -> asyncio.StreamWriter:
    """Send a batch over a separate connection and return the connection."""
    _, writer = await asyncio.open_connection(client.host, client.port)
    data = _body(entries)
    writer.write(
        b"POST /api/codes/batch HTTP/1.1\r\n" + JSON_HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(data), data)
    )
    return writer


async def test_identical_entries_render_once(client: Client, renders: WatchedRenders) -> None:
    """500 requests for two codes make two renders, and the results are equal."""
    answered = await _batch(client, *_entries(*["A-1", "A-2"] * (MOST // 2)))
    assert renders.counts == {"A-1": 1, "A-2": 1}
    assert answered[0::2] == [answered[0]] * (MOST // 2)
    assert answered[1::2] == [answered[1]] * (MOST // 2)


async def test_a_batch_of_any_allowed_size_is_answered(
    make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of 1 to 500 entries gets one result, in order, even if only one render may wait at a time."""
    monkeypatch.setattr(service, "RENDER_QUEUE", 1)
    client = await make_client()
    for count in (1, 16, 17, MOST):
        codes = [f"{count}-{number}" for number in range(count)]
        assert [entry["data"]["product_code"] for entry in await _batch(client, *_entries(*codes))] == codes


async def test_an_entry_that_the_queue_has_no_place_for_is_an_error(
    make_client: ClientMaker, monkeypatch: pytest.MonkeyPatch, renders: WatchedRenders, until: Any
) -> None:
    """While other requests fill the queue, cached entries succeed and the others get the single call's 503."""
    monkeypatch.setattr(service, "RENDER_QUEUE", 1)
    client = await make_client()
    await _batch(client, *_entries("cached"))
    renders.gate.clear()
    other = asyncio.create_task(drawn(client, "barcode", product_code="A-1"))
    await until(lambda: renders.counts["A-1"] == 1)
    cached, refused = await _batch(client, *_entries("cached", "new"))
    single = await client.post("/api/codes/barcode", json={"product_code": "new"})
    assert cached["success"] is True
    assert (single.status, refused) == (503, {**await single.json(), "status": 503})
    renders.gate.set()
    await other


async def test_one_group_of_all_batches_of_a_client_is_rendered_at_a_time(
    client: Client, renders: WatchedRenders, until: Any
) -> None:
    """However many batches a client sends at once, a code of another client waits for sixteen codes of them."""
    renders.gate.clear()
    batches = [
        asyncio.create_task(_batch(client, *_entries(*(f"{batch}-{number}" for number in range(20)))))
        for batch in range(5)
    ]
    await until(
        lambda: client.app[ADMISSION].in_flight == len(batches) and client.app[SERVICE].renderer.under_way >= 16
    )
    for _ in range(30):  # turns in which the other batches could begin
        await client.get("/health")
    assert client.app[SERVICE].renderer.under_way == 16
    renders.gate.set()
    assert [len(answered) for answered in await asyncio.gather(*batches)] == [20] * 5


async def test_others_are_answered_while_a_batch_waits(client: Client, renders: WatchedRenders, until: Any) -> None:
    """While every render of a batch is blocked, health and a cached code respond."""
    await drawn(client, "barcode", product_code="cached")
    renders.gate.clear()
    waiting = asyncio.create_task(_batch(client, *_many()))
    await until(lambda: sum(renders.counts.values()) > 1)
    assert (await client.get("/health")).status == 200
    await drawn(client, "barcode", product_code="cached")
    assert not waiting.done()
    renders.gate.set()
    assert len(await waiting) == MOST


@pytest.mark.parametrize("change", [{"format": "CODE12"}, {"product_code": "cached"}])
async def test_the_loop_turns_after_every_entry(
    client: Client, monkeypatch: pytest.MonkeyPatch, change: dict[str, str]
) -> None:
    """Refused or cached: the loop turns between two entries, so that 16 are not one long pause.

    The reading of entries is wrapped (and still runs), because only timings would show it from outside.
    """
    turns, read_at = 0, []

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def watched(model: type[Model], value: object) -> Model:
        read_at.append(turns)
        return validated(model, value)

    monkeypatch.setattr(code_batch, "validated", watched)
    await drawn(client, "barcode", product_code="cached")
    turning = asyncio.create_task(turn())
    await _batch(client, *(json.dumps(json.loads(entry) | change) for entry in _many()))
    turning.cancel()
    assert len(set(read_at)) == MOST


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_leaves_no_task_behind(
    client: Client, renders: WatchedRenders, until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Renders that have begun finish, the many others never begin, and no error is logged."""
    assert (await client.get("/health")).status == 200
    before = asyncio.all_tasks()
    renders.gate.clear()
    leaving = await _sent_batch(client, _many())
    await until(lambda: bool(renders.counts))
    leaving.transport.abort()
    assert (await client.get("/health")).status == 200
    renders.gate.set()
    await until(lambda: not asyncio.all_tasks() - before and client.app[SERVICE].renderer.under_way == 0)
    assert sum(renders.counts.values()) < 40
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
    assert len(await _batch(client, *_many(20))) == 20


@pytest.mark.parametrize("handler_cancellation", [False, True])
async def test_a_client_that_leaves_at_any_moment_spoils_nothing(client: Client, until: Any) -> None:
    """Aborted after any number of turns of the loop, batches end, and the next one is complete."""
    await client.get("/health")
    before = asyncio.all_tasks()
    for number in range(30):
        leaving = await _sent_batch(client, _many())
        for _ in range(number * 5):
            await asyncio.sleep(0)
        leaving.transport.abort()
    await until(lambda: not asyncio.all_tasks() - before)
    assert [entry.get("message") for entry in await _batch(client, *_many())] == [None] * MOST
