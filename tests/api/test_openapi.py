import json
import re
from collections.abc import Iterator
from typing import Any, get_args

from openapi_spec_validator import OpenAPIV31SpecValidator

from barcodesvc.api.endpoint import Route
from barcodesvc.api.openapi.document import KEY_REQUIRED, api_document
from barcodesvc.api.openapi.envelopes import envelope_of
from barcodesvc.api.resources.image_scans import ImageRequest
from barcodesvc.api.resources.scans import ScannedText
from barcodesvc.api.routes import ROUTES
from barcodesvc.errors import MOST_PROBLEMS, Unauthorized
from tests.api.described import DOCUMENT
from tests.fixture_types import Client, ClientMaker
from tests.sweeps import sweep

REFUSED = {ScannedText: {"image_base64", "effort"}, ImageRequest: {"code_data"}}
"""Fields that a body never has: of the two, one is for a text and the other for an image."""
VERBS = re.compile(
    "(?:Cancel|Change|Check|Create|Delete|Draw|End|Export|Find|Get|Import|List|Make|Open|Print|Save|Set|Settle|Show|Undo)"
    r"\b"
)


def operations() -> list[tuple[Route, dict[str, Any]]]:
    """Return each route with its operation in the document."""
    return [(route, DOCUMENT["paths"][route.path][route.method.lower()]) for route in ROUTES]


def referred(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that a reference names."""
    found: dict[str, Any] = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def test_the_document_is_valid() -> None:
    """The document is OpenAPI 3.1."""
    assert list(OpenAPIV31SpecValidator(DOCUMENT).iter_errors()) == []


def test_every_route_is_documented_and_nothing_else() -> None:
    """The document's operations are the rows of the route table."""
    reply = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert reply == {(route.method, route.path) for route in ROUTES}


def test_operations_have_names_of_their_own() -> None:
    """Each operation is named after its handler, and names are unique."""
    names = [reply["operationId"] for _, reply in operations()]
    assert names == [route.handler.__name__ for route in ROUTES]
    assert len(set(names)) == len(names)


def test_summaries_say_what_to_do() -> None:
    """A summary begins with a verb, as one says it to somebody: "Delete a product"."""
    assert [reply["summary"] for _, reply in operations() if not VERBS.match(reply["summary"])] == []


@sweep("route", ROUTES)
def test_every_parameter_is_documented(route: Route) -> None:
    """The parameters of an operation are those in its path, the fields of its query, and the headers of its row."""
    reply = DOCUMENT["paths"][route.path][route.method.lower()]
    names = {part: {one["name"] for one in reply["parameters"] if one["in"] == part} for part in ("path", "query")}
    assert names["path"] == {part.partition("}")[0] for part in route.path.split("{")[1:]}
    fields = set(route.signature.query.model_fields)
    assert names["query"] == fields - ({"product_code"} if "{code}" in route.path else set())


def test_every_field_of_a_body_is_documented() -> None:
    """A body's schema has the fields of its model, without those that are always refused; a file has none."""
    for route, reply in operations():
        for media, kind in route.signature.body.items():
            schema = reply["requestBody"]["content"][media]["schema"]
            if kind is bytes:
                assert schema == {"type": "string", "format": "binary"}
                continue
            for each, model in zip(schema.get("anyOf", [schema]), get_args(kind) or [kind], strict=True):
                assert set(referred(each)["properties"]) == set(model.model_fields) - REFUSED.get(model, set())
                assert referred(each)["additionalProperties"] is False


@sweep("route", ROUTES)
def test_every_failure_that_a_route_has_in_common_is_documented(route: Route) -> None:
    """Paths under /api have validation and rate limit errors, every handler can fail, and bodies can meet overload."""
    reply = set(DOCUMENT["paths"][route.path][route.method.lower()]["responses"])
    assert reply >= {str(route.failure.status)}
    assert not route.path.startswith("/api/") or reply >= {"400", "429"}
    assert not route.signature.body or "503" in reply


def test_responses_are_closed() -> None:
    """Every object in a response has named fields and no others, except maps and this document."""
    open_ones = {
        name
        for name, schema in DOCUMENT["components"]["schemas"].items()
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False
    }
    assert open_ones == set()


def test_null_is_reported_only_of_responses() -> None:
    """No field of a body accepts null, and the document allows none; only an attribute may be null, to remove it."""
    for _, reply in operations():
        for content in reply.get("requestBody", {}).get("content", {}).values():
            for schema in content["schema"].get("anyOf", [content["schema"]]):
                fields = (referred(schema) if "$ref" in schema else schema).get("properties", {}).items()
                assert [name for name, field in fields if '"null"' in json.dumps(field) and name != "attributes"] == []


async def test_the_served_document_is_the_document(client: Client) -> None:
    """The served document is generated from the route table, with a strong tag that yields a 304."""
    response = await client.get("/api/openapi.json")
    assert (response.status, response.content_type) == (200, "application/json")
    assert await response.json() == json.loads(json.dumps(api_document(ROUTES)))
    again = await client.get("/api/openapi.json", headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status, await again.read(), again.headers["ETag"]) == (304, b"", response.headers["ETag"])


async def test_a_lock_is_documented(make_client: ClientMaker) -> None:
    """If the API requires a key, all of /api has the security schemes, and /health does not."""
    client = await make_client(api_key="k" * 32)
    response = await client.get("/api/openapi.json", headers={"X-API-Key": "k" * 32})
    reply = await response.json()
    assert tuple(reply["components"]["securitySchemes"]) == KEY_REQUIRED
    for route in ROUTES:
        operation = reply["paths"][route.path][route.method.lower()]
        has_valid_check_digit = route.path.startswith("/api/")
        schemes: list[dict[str, list[str]]] = [{"header": []}, {"bearer": []}, {"session": []}]
        assert operation.get("security") == (schemes if has_valid_check_digit and route.needs_key else None)
        assert ("401" in operation["responses"]) is has_valid_check_digit


def test_without_a_key_the_schemes_are_optional() -> None:
    """A client that is generated from any service can send a key, and knows the 401."""
    document = api_document(ROUTES)
    assert tuple(document["components"]["securitySchemes"]) == KEY_REQUIRED
    operation = document["paths"]["/api/products"]["get"]
    assert operation["security"] == [{}, {"header": []}, {"bearer": []}, {"session": []}]
    assert "401" in operation["responses"]


def test_every_tag_is_described() -> None:
    """The document describes each tag of its operations, and no other."""
    document = api_document(ROUTES)
    used = {tag for path in document["paths"].values() for operation in path.values() for tag in operation["tags"]}
    assert {tag["name"] for tag in document["tags"]} == used
    assert all(tag["description"] for tag in document["tags"])


def schemas_in(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a part of the document."""
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    for inner in part if isinstance(part, list) else ():
        yield from schemas_in(inner)


def test_integers_are_exact_in_every_client() -> None:
    """No bound is beyond 2^53-1, the greatest integer that JavaScript represents exactly."""
    bounds = [schema[name] for schema in schemas_in(DOCUMENT) for name in ("minimum", "maximum") if name in schema]
    assert max(abs(bound) for bound in bounds if not isinstance(bound, dict)) == 2**53 - 1


def test_formats_and_levels_of_correction_are_listed_once() -> None:
    """Pictures by address and by body share a schema of each, so that a generated client has one type."""
    listed = [str(schema["enum"]) for schema in schemas_in(DOCUMENT) if {"CODE128", "L"} & set(schema.get("enum", ()))]
    assert len(listed) == len(set(listed))


def test_entries_of_batches_have_types() -> None:
    """A generated client knows the fields of an entry, although the service judges each entry on its own."""
    schemas = DOCUMENT["components"]["schemas"]
    assert schemas["ScansForm"]["properties"]["scans"]["items"] == {"$ref": "#/components/schemas/ScanCount"}
    entry = schemas["BatchForm"]["properties"]["requests"]["items"]
    assert entry["discriminator"]["propertyName"] == "kind"
    kinds = {kind: reference.rpartition("/")[2] for kind, reference in entry["discriminator"]["mapping"].items()}
    assert kinds == {"barcode": "BarcodeEntry", "qrcode": "QrEntry"}
    assert [one["$ref"] for one in entry["anyOf"]] == list(entry["discriminator"]["mapping"].values())


def test_an_envelope_has_the_reasons_of_all_that_it_is_sent_for() -> None:
    """An error has an envelope, to which each narrower error that is sent in the same adds its reason."""
    reply = envelope_of(Unauthorized).model_json_schema()
    assert reply["properties"]["code"]["const"] == Unauthorized.code
    reason = reply["$defs"]["UnauthorizedDetails"]["properties"]["reason"]
    assert reason["enum"] == ["api_key_missing", "api_key_wrong"]


def descriptions(part: Any) -> Iterator[str]:
    """Yield every summary and description in a part of the document."""
    if isinstance(part, dict):
        for name, inner in part.items():
            yield from [inner] if name in {"summary", "description"} and isinstance(inner, str) else descriptions(inner)
    if isinstance(part, list):
        for inner in part:
            yield from descriptions(inner)


def test_descriptions_name_no_constants_of_the_source() -> None:
    """Clients read the document: it contains numbers, not names of constants, above all for reported problems."""
    texts = list(descriptions(DOCUMENT))
    assert [text for text in texts if re.search(r"\b[A-Z]+(?:_[A-Z]+)+\b", text)] == []
    assert (
        f"the first {MOST_PROBLEMS} of them" in DOCUMENT["paths"]["/health"]["get"]["responses"]["400"]["description"]
    )


def test_schemas_keep_the_names_that_clients_import() -> None:
    """A client generated from an earlier document imports these names, so a later document must have them, too."""
    assert "Candidate" in DOCUMENT["components"]["schemas"]
