"""The OpenAPI document explains itself: descriptions, examples and summaries, all from the models and the routes."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.api.described import DOCUMENT, problems_of

SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
PROPERTIES = {
    f"{name}.{field}": schema for name, one in SCHEMAS.items() for field, schema in one.get("properties", {}).items()
}
PARAMETERS = {
    f"{operation} {parameter['name']}": parameter
    for operation, described in OPERATIONS.items()
    for parameter in described["parameters"]
}
LONGEST_PATTERN = 200


def responses() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the content of every response, with its operation, status and media type."""
    for operation, described in OPERATIONS.items():
        for status, response in described["responses"].items():
            for media, content in response.get("content", {}).items():
                yield f"{operation} {status} {media}", content


def every_object(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a part of the document."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from every_object(inner)


def test_every_property_has_a_description() -> None:
    """A sentence that begins with a capital or a name in backticks, and ends with a full stop."""
    assert {name for name, one in PROPERTIES.items() if not re.fullmatch(r"[A-Z`].*\.", one["description"])} == set()


def test_every_property_has_an_example_that_it_accepts() -> None:
    """The example of a property is one that its schema accepts."""
    wrong = {
        name: problem
        for name, schema in PROPERTIES.items()
        for example in schema["examples"]
        for problem in problems_of(schema, example)
    }
    assert wrong == {}


def test_every_parameter_has_a_description_and_an_example_that_it_accepts() -> None:
    """Parameters in paths, queries and headers."""
    assert {name for name, one in PARAMETERS.items() if not re.fullmatch(r"[A-Z`].*\.", one["description"])} == set()
    wrong = {
        name: problem
        for name, one in PARAMETERS.items()
        for example in one["schema"]["examples"]
        for problem in problems_of(one["schema"], example)
    }
    assert wrong == {}


def test_forms_begin_with_the_parameters_of_the_path_alone() -> None:
    """Swagger UI fills in an `example`: a fixed key or id of a request, or all filters at once, would be of no use."""
    filled_in = {name for name, one in PARAMETERS.items() if "example" in one}
    assert filled_in == {name for name, one in PARAMETERS.items() if one["in"] == "path"}


def test_every_header_of_a_response_has_a_description() -> None:
    """Those that all responses share included."""
    assert all(header["description"] for header in DOCUMENT["components"]["headers"].values())


def test_every_example_of_a_body_is_accepted() -> None:
    """Those of the route table."""
    for operation, described in OPERATIONS.items():
        for content in described.get("requestBody", {}).get("content", {}).values():
            if "example" in content:
                assert list(problems_of(content["schema"], content["example"])) == [], operation


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


def test_no_schema_accepts_everything() -> None:
    """No entry of a list and no property has the schema `{}`."""
    parts = [one.get("items") for one in every_object(SCHEMAS)] + list(PROPERTIES.values())
    assert {} not in parts


def test_the_document_names_licence_source_and_page() -> None:
    """A reader of the document alone finds all three."""
    info = DOCUMENT["info"]
    assert info["license"]["identifier"] == "AGPL-3.0-or-later"
    assert {"(/source)", "(/api/docs)"} <= set(re.findall(r"\(/[\w/]+\)", info["description"]))
    assert DOCUMENT["externalDocs"]["url"] == "/source"
