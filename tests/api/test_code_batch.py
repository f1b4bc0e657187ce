import json
from typing import Any

import pytest

from tests.fixture_types import Client, Problems
from tests.sweeps import sweep

JSON = {"Content-Type": "application/json"}
BATCH = "/api/codes/batch"
DEEP = "[" * 100 + "]" * 100
ENTRIES = (
    ("barcode", '{"product_code":"A-1"}'),
    ("qrcode", '{"product_code":"A-1"}'),
    ("barcode", '{"product_code":"A-1","format":"ean-13"}'),
    ("barcode", '{"product_code":"4006381333931+12","format":"ean-13","width":3,"height":20.5,"displayValue":false}'),
    ("barcode", '{"product_code":"400638133393","format":"EAN"}'),
    ("barcode", '{"product_code":"4006381333930","format":"EAN13"}'),
    ("barcode", '{"product_code":"12A4567","format":"EAN8"}'),
    ("barcode", '{"product_code":"A-1","format":"datamatrix","dpi":203,"width":2}'),
    ("barcode", '{"product_code":"A-1","dpi":300,"module_mm":0.1}'),
    ("barcode", '{"product_code":"A-1","dpi":4800,"module_mm":10}'),
    ("barcode", '{"product_code":"A-1","width":11}'),
    ("barcode", '{"product_code":"A-1","width":2,"module_mm":0.3}'),
    ("barcode", '{"product_code":"A-1","format":"CODE12"}'),
    ("barcode", '{"product_code":"A-1","format":"nonsense"}'),
    ("barcode", '{"product_code":"A-1","displayvalue":true}'),
    ("barcode", '{"product_code":"A-1","size":300,"Kind":"barcode","x":[1],"":null}'),
    ("barcode", "{}"),
    ("barcode", '{"product_code":null,"format":null,"width":null,"dpi":null}'),
    ("barcode", '{"product_code":["A-1"],"format":{"a":1},"width":[2],"height":{},"displayValue":[]}'),
    ("barcode", '{"product_code":12,"format":128,"width":"2","height":true,"displayValue":1,"dpi":"300"}'),
    ("barcode", '{"product_code":"A-1","width":NaN,"height":Infinity,"dpi":-Infinity,"module_mm":1e400}'),
    ("barcode", '{"product_code":"A-1","width":-0.0,"height":-1,"dpi":1e308,"module_mm":0}'),
    ("barcode", '{"product_code":"A-1","width":' + "9" * 400 + ',"height":' + "9" * 30 + "}"),
    ("barcode", '{"product_code":"' + "x" * 200 + '"}'),
    ("barcode", '{"product_code":"","format":""}'),
    ("barcode", '{"product_code":" a"}'),
    ("barcode", '{"product_code":"a\\nb"}'),
    ("barcode", '{"product_code":"a\\u0000b"}'),
    ("barcode", '{"product_code":"\\ud83d\\ude00","x\\u0000y":1,"\\ud83d\\ude00":2}'),
    ("barcode", '{"product_code":"A-1","product_code":"A-2"}'),
    ("barcode", '{"product_code":"A-1","x":' + DEEP + "}"),
    ("barcode", '{"product_code":"A-1",' + ",".join(f'"x{n}":{n}' for n in range(1100)) + "}"),
    ("qrcode", '{"product_code":"A-1","size":500,"error_correction":"H"}'),
    ("qrcode", '{"product_code":"A-1","include_product_info":true}'),
    ("qrcode", '{"product_code":"A-1","include_product_info":true,"module_mm":0.1}'),
    ("qrcode", '{"product_code":"B-1","include_product_info":true}'),
    ("qrcode", '{"product_code":"a-1","include_product_info":true,"size":301}'),
    ("qrcode", '{"product_code":"A-1","size":28.9}'),
    ("qrcode", '{"product_code":"' + "a" * 64 + '","size":29}'),
    ("qrcode", '{"product_code":"A-1","error_correction":"m"}'),
    ("qrcode", '{"product_code":"A-1","error_correction":["M"],"include_product_info":"true"}'),
    ("qrcode", '{"product_code":"A-1","format":"QR"}'),
    ("qrcode", '{"product_code":"<>&\\"\'</script>"}'),
)
"""Bodies of single calls, as text because JSON allows spellings that Python's encoder does not produce."""


def _entry(kind: str, body: str) -> str:
    """Return the body of a single call as an entry of a batch."""
    return body.replace("{", f'{{"kind":"{kind}"' + ("" if body == "{}" else ","), 1)


async def _batch(client: Client, *entries: str) -> list[dict[str, Any]]:
    response = await client.post(BATCH, data='{"requests":[' + ",".join(entries) + "]}", headers=JSON)
    reply = await response.json()
    assert (response.status, list(reply)) == (200, ["success", "data"]), reply
    assert reply["success"] is True
    return list(reply["data"])


async def _single(client: Client, kind: str, body: str) -> Any:
    """Return the envelope of a single call, with its status as in a batch."""
    response = await client.post(f"/api/codes/{kind}", data=body, headers=JSON)
    return {**await response.json(), "status": response.status}


async def test_an_entry_is_the_envelope_of_the_single_call(shop: Client) -> None:
    """Every field is equal, for successes and errors, whichever of the two calls comes first."""
    for kind, body in ENTRIES:
        assert await _batch(shop, _entry(kind, body)) == [await _single(shop, kind, body)], body


async def test_entries_keep_their_order(shop: Client) -> None:
    """Barcodes, QR codes and errors are in the order of their requests, within groups and across them."""
    answered = await _batch(shop, *(_entry(*entry) for entry in ENTRIES))
    assert answered == [await _single(shop, *entry) for entry in ENTRIES]
    assert {entry.get("error", False) for entry in answered} == {False, True}


async def test_a_batch_is_json_like_any_other(shop: Client) -> None:
    """It has the usual content type, and its bytes are one JSON document in UTF-8."""
    entries = [_entry(*entry) for entry in ENTRIES]
    response = await shop.post(BATCH, data='{"requests":[' + ",".join(entries) + "]}", headers=JSON)
    assert response.headers["Content-Type"] == "application/json; charset=utf-8"
    assert len(json.loads((await response.read()).decode())["data"]) == len(ENTRIES)


async def test_an_entry_that_is_no_object_is_refused_as_a_body_is(client: Client) -> None:
    """The error is the one of a single call with such a body, and the other entries are drawn."""
    good = _entry("barcode", '{"product_code":"A-1"}')
    for entry in ("1", '"barcode"', "true", "null", "[]", "[{}]", "NaN", f'"{"x" * 101}"'):
        first, second, third = await _batch(client, good, entry, good)
        assert second == await _single(client, "barcode", entry)
        assert second["message"] == "body: Input should be an object"
        assert first == third
        assert first["success"] is True


async def test_an_entry_without_a_kind_is_refused(client: Client) -> None:
    """The error names the field and the two kinds, and does not repeat lists or objects."""
    kinds = ("null", '["barcode"]', "{}", f'"{"x" * 101}"')
    answered = await _batch(client, '{"product_code":"A-1"}', *(f'{{"kind":{kind}}}' for kind in kinds))
    for reply in answered:
        assert reply["message"] == "kind: must be barcode or qrcode"
        assert reply["details"]["errors"] == [{"field": "kind", "message": "must be barcode or qrcode"}]


async def test_an_unknown_kind_is_repeated(client: Client) -> None:
    """Kinds must be spelt exactly; the error repeats the one that was sent."""
    kinds = ("Barcode", "BARCODE", "qr", "qrcode ", "printable", "decode", "batch", "", 1, True)
    answered = await _batch(client, *(json.dumps({"kind": kind, "product_code": "A-1"}) for kind in kinds))
    for kind, reply in zip(kinds, answered, strict=True):
        problem = {"field": "kind", "message": "must be barcode or qrcode", "value": kind}
        assert (reply["code"], reply["status"]) == ("VALIDATION_ERROR", 400)
        assert reply["details"] == {"reason": "invalid_input", "errors": [problem]}


@sweep(
    ("body", "field"),
    [
        ({}, "requests"),
        ({"requests": None}, "requests"),
        ({"requests": {}}, "requests"),
        ({"requests": "A-1"}, "requests"),
        ({"requests": []}, "requests"),
        ({"requests": [{"kind": "barcode", "product_code": "A-1"}] * 501}, "requests"),
        ({"requests": [1], "format": "EAN13"}, "format"),
        ({"Requests": [1], "requests": [1]}, "Requests"),
        ([], "body"),
        ([{"kind": "barcode", "product_code": "A-1"}], "body"),
        ("x", "body"),
        (None, "body"),
    ],
)
async def test_what_is_no_batch_is_refused(client: Client, problems: Problems, body: object, field: str) -> None:
    """Anything but a list of 1 to 500 entries is a 400 for the whole batch, with the problem's name."""
    assert list(await problems(await client.post(BATCH, json=body))) == [field]


async def test_a_batch_of_any_allowed_size_is_answered(client: Client) -> None:
    """Each of 1 to 500 entries gets one result, in order."""
    for count in (1, 15, 16, 17, 32, 33, 500):
        codes = [f"N-{number % 40}" for number in range(count)]
        entries = [{"kind": "barcode", "product_code": code, "width": 1} for code in codes]
        answered = await _batch(client, *map(json.dumps, entries))
        assert [entry["data"]["product_code"] for entry in answered] == codes


async def test_an_escaped_code_stays_escaped(client: Client) -> None:
    """Quotes, backslashes and markup in a code break neither the JSON nor the order."""
    codes = ['"', "\\", '"}],"x":[{"', "</title><script>", "a\\u0041", "'--", "{}[],:"]
    entries = [{"kind": kind, "product_code": code} for code in codes for kind in ("barcode", "qrcode")]
    answered = await _batch(client, *map(json.dumps, entries))
    assert [entry["data"]["product_code"] for entry in answered] == [entry["product_code"] for entry in entries]


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
