"""The OpenAPI document: it describes every route as it is, explains itself, and suits generated clients."""

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
from tests.api.described import DOCUMENT, problems_of
from tests.fixture_types import ClientMaker
from tests.sweeps import sweep

REFUSED = {ScannedText: {"image_base64", "effort"}, ImageRequest: {"code_data"}}
"""Fields that a body never has: of the two, one is for a text and the other for an image."""
VERBS = re.compile(
    "(?:Assign|Cancel|Change|Check|Create|Delete|Draw|End|Export|Find|Get|Import|List|Make|Open|Print|Save|Set|Settle|Show|Undo)"
    r"\b"
)
SENTENCE = re.compile(r"[A-Z`].*\.")
"""It begins with a capital or a name in backticks, and ends with a full stop."""
LONGEST_PATTERN = 200
SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
OPERATIONS = [(route, DOCUMENT["paths"][route.path][route.method.lower()]) for route in ROUTES]
"""Each route with its operation in the document."""
PROPERTIES = {
    f"{name}.{field}": schema for name, one in SCHEMAS.items() for field, schema in one.get("properties", {}).items()
}
PARAMETERS = {
    f"{route.method} {route.path} {parameter['name']}": parameter
    for route, operation in OPERATIONS
    for parameter in operation["parameters"]
}


def referred(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that a reference names."""
    return SCHEMAS[schema["$ref"].rpartition("/")[2]]


def every_object(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a part of the document."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from every_object(inner)


def contents() -> Iterator[tuple[Route, dict[str, Any]]]:
    """Yield what each route takes as a body, in every media type."""
    for route, operation in OPERATIONS:
        for content in operation.get("requestBody", {}).get("content", {}).values():
            yield route, content


def test_the_document_is_valid() -> None:
    """The document is OpenAPI 3.1."""
    assert list(OpenAPIV31SpecValidator(DOCUMENT).iter_errors()) == []


def test_every_route_is_documented_and_nothing_else() -> None:
    """The operations are the rows of the route table, each named after its handler; a summary says what to do."""
    documented = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert documented == {(route.method, route.path) for route in ROUTES}
    names = [operation["operationId"] for _, operation in OPERATIONS]
    assert names == [route.handler.__name__ for route in ROUTES]
    assert len(set(names)) == len(names)
    assert [operation["summary"] for _, operation in OPERATIONS if not VERBS.match(operation["summary"])] == []


@sweep(("route", "operation"), OPERATIONS)
def test_every_parameter_and_failure_is_documented(route: Route, operation: dict[str, Any]) -> None:
    """Those of path and query; under /api validation and rate limits, of bodies overload, and each handler can fail."""
    named = {part: {one["name"] for one in operation["parameters"] if one["in"] == part} for part in ("path", "query")}
    assert named["path"] == {part.partition("}")[0] for part in route.path.split("{")[1:]}
    fields = set(route.signature.query.model_fields)
    assert named["query"] == fields - ({"product_code"} if "{code}" in route.path else set())
    statuses = set(operation["responses"])
    assert statuses >= {str(route.failure.status)}
    assert not route.path.startswith("/api/") or statuses >= {"400", "429"}
    assert not route.signature.body or "503" in statuses


def test_every_field_of_a_body_is_documented() -> None:
    """A body's schema has the fields of its model, without those that are always refused; a file has none."""
    for route, reply in OPERATIONS:
        for media, kind in route.signature.body.items():
            schema = reply["requestBody"]["content"][media]["schema"]
            if kind is bytes:
                assert schema == {"type": "string", "format": "binary"}
                continue
            for each, model in zip(schema.get("anyOf", [schema]), get_args(kind) or [kind], strict=True):
                assert set(referred(each)["properties"]) == set(model.model_fields) - REFUSED.get(model, set())
                assert referred(each)["additionalProperties"] is False


def test_schemas_are_closed() -> None:
    """Every object has named fields and no others, except maps and this document; no field accepts everything."""
    open_ones = {
        name
        for name, schema in SCHEMAS.items()
        if schema.get("type") == "object" and schema.get("additionalProperties") is not False
    }
    assert open_ones == set()
    assert {} not in [one.get("items") for one in every_object(SCHEMAS)] + list(PROPERTIES.values())


def test_null_is_reported_only_of_responses() -> None:
    """No field of a body accepts null, and the document allows none; only an attribute may be null, to remove it."""
    for _, content in contents():
        for schema in content["schema"].get("anyOf", [content["schema"]]):
            fields = (referred(schema) if "$ref" in schema else schema).get("properties", {}).items()
            assert [name for name, field in fields if '"null"' in json.dumps(field) and name != "attributes"] == []


async def test_a_lock_is_documented(make_client: ClientMaker) -> None:
    """If the API requires a key, all of /api has the security schemes, and /health does not."""
    client = await make_client(api_key="k" * 32)
    response = await client.get("/api/openapi.json", headers={"X-API-Key": "k" * 32})
    reply = await response.json()
    assert tuple(reply["components"]["securitySchemes"]) == KEY_REQUIRED
    for route in ROUTES:
        operation = reply["paths"][route.path][route.method.lower()]
        is_locked = route.path.startswith("/api/")
        schemes: list[dict[str, list[str]]] = [{"header": []}, {"bearer": []}, {"session": []}]
        assert operation.get("security") == (schemes if is_locked and route.needs_key else None)
        assert ("401" in operation["responses"]) is is_locked


def test_without_a_key_the_schemes_are_optional() -> None:
    """A client that is generated from any service can send a key, and knows the 401."""
    document = api_document(ROUTES)
    assert tuple(document["components"]["securitySchemes"]) == KEY_REQUIRED
    operation = document["paths"]["/api/products"]["get"]
    assert operation["security"] == [{}, {"header": []}, {"bearer": []}, {"session": []}]
    assert "401" in operation["responses"]


def test_every_tag_is_described() -> None:
    """The document describes each tag of its operations, and no other."""
    assert {tag["name"] for tag in DOCUMENT["tags"]} == {tag for _, one in OPERATIONS for tag in one["tags"]}
    assert all(tag["description"] for tag in DOCUMENT["tags"])


def test_everything_has_a_description_and_an_example_that_it_accepts() -> None:
    """Properties, and parameters in paths, queries and headers; headers of responses have a description."""
    described = PROPERTIES | PARAMETERS
    assert {name for name, one in described.items() if not SENTENCE.fullmatch(one["description"])} == set()
    assert all(header["description"] for header in DOCUMENT["components"]["headers"].values())
    wrong = {
        name: problem
        for name, one in described.items()
        for example in one.get("schema", one)["examples"]
        for problem in problems_of(one.get("schema", one), example)
    }
    assert wrong == {}


def test_every_example_of_a_body_is_accepted() -> None:
    """Those of the route table."""
    for route, content in contents():
        if "example" in content:
            assert list(problems_of(content["schema"], content["example"])) == [], route.path


def test_forms_begin_with_the_parameters_of_the_path_alone() -> None:
    """Swagger UI fills in an `example`: a fixed key or id of a request, or all filters at once, would be of no use."""
    filled_in = {name for name, one in PARAMETERS.items() if "example" in one}
    assert filled_in == {name for name, one in PARAMETERS.items() if one["in"] == "path"}


def test_patterns_can_be_read() -> None:
    """A pattern is short; the description has the rest of the rule."""
    patterns = {one["pattern"] for one in every_object(DOCUMENT) if isinstance(one.get("pattern"), str)}
    assert max(map(len, patterns)) <= LONGEST_PATTERN


def test_enums_are_listed_once() -> None:
    """The values of an enum that several schemas share are in one component, so that a client has one type of them."""
    inline = [
        tuple(one["enum"])
        for one in every_object([SCHEMAS, DOCUMENT["paths"]])
        if isinstance(one.get("enum"), list) and one not in SCHEMAS.values()
    ]
    assert [values for values in inline if inline.count(values) > 1] == []


def test_members_of_unions_can_be_told_apart() -> None:
    """By a discriminator, their titles or their types."""
    for union in every_object(DOCUMENT):
        if "anyOf" in union and "discriminator" not in union:
            members = [SCHEMAS[one["$ref"].rpartition("/")[2]] if "$ref" in one else one for one in union["anyOf"]]
            names = [json.dumps(one.get("title", one.get("items", one.get("type")))) for one in members]
            assert len(set(names)) == len(names), union


def test_integers_are_exact_in_every_client() -> None:
    """No bound is beyond 2^53-1, the greatest integer that JavaScript represents exactly."""
    bounds = [schema[name] for schema in every_object(DOCUMENT) for name in ("minimum", "maximum") if name in schema]
    assert max(abs(bound) for bound in bounds if not isinstance(bound, dict)) == 2**53 - 1


def test_entries_of_batches_have_types() -> None:
    """A generated client knows the fields of an entry, although the service judges each entry on its own."""
    assert SCHEMAS["ScansForm"]["properties"]["scans"]["items"] == {"$ref": "#/components/schemas/ScanCount"}
    entry = SCHEMAS["BatchForm"]["properties"]["requests"]["items"]
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


def test_descriptions_name_no_constants_of_the_source() -> None:
    """Clients read the document: it contains numbers, not names of constants, above all for reported problems."""
    told = [part[name] for part in every_object(DOCUMENT) for name in ("summary", "description") if name in part]
    assert [text for text in told if isinstance(text, str) and re.search(r"\b[A-Z]+(?:_[A-Z]+)+\b", text)] == []
    refusal = DOCUMENT["paths"]["/health"]["get"]["responses"]["400"]["description"]
    assert f"the first {MOST_PROBLEMS} of them" in refusal


def test_the_document_names_licence_source_and_page() -> None:
    """A reader of the document alone finds all three."""
    info = DOCUMENT["info"]
    assert info["license"]["identifier"] == "AGPL-3.0-or-later"
    assert {"(/source)", "(/api/docs)"} <= set(re.findall(r"\(/[\w/]+\)", info["description"]))
    assert DOCUMENT["externalDocs"]["url"] == "/source"
