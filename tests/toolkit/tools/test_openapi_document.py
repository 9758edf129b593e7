import json
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import PlainTextResponse, Response

from toolkit.errors import DefinitionInvalid, ExtraMissing
from toolkit.schemas.validation import validator
from toolkit.tools.openapi import openapi_tools

BASE = "http://127.0.0.1:1"


def get(**more: Any) -> dict[str, Any]:
    return {"get": {"operationId": "read", **more}}


def schema_of(document: Any, paths: dict[str, Any], version: str = "3.1.0", **components: Any) -> Any:
    root = document(paths, components=components) | {"openapi": version}
    return openapi_tools(root, base_url=BASE)[0].input_schema


PETS = {
    "openapi": "3.0.3",
    "servers": [{"url": "https://{host}/v1", "variables": {"host": {"default": "pets.example"}}}],
    "paths": {"/pets": {"get": {"operationId": "list-pets", "summary": "All pets."}}},
}


def test_a_document_is_a_path_a_mapping_or_an_address(tmp_path: Path, echo: Any) -> None:
    file = tmp_path / "pets.json"
    file.write_text(json.dumps(PETS))
    echo.answers.append(PlainTextResponse(json.dumps(PETS)))

    found = [openapi_tools(each)[0] for each in (file, str(file), PETS, f"{echo.url}/pets.json")]

    assert [each.name for each in found] == ["list-pets"] * 4
    assert [each.operation.server for each in found] == ["https://pets.example/v1"] * 4
    assert len(echo.requests) == 1


def test_a_document_that_is_no_json_is_said_with_what_reads_yaml(tmp_path: Path) -> None:
    file = tmp_path / "pets.yaml"
    for text, said in (
        (
            "openapi: 3.1.0",
            "is not JSON: Expecting value: line 1 column 1 (char 0); pass what yaml.safe_load makes of YAML",
        ),
        ("[1]", "holds list; expected an OpenAPI document"),
    ):
        file.write_text(text)
        with pytest.raises(DefinitionInvalid) as caught:
            openapi_tools(file)
        assert str(caught.value) == f"{file} {said}"


def test_a_relative_server_is_relative_to_where_the_document_was_fetched(echo: Any) -> None:
    root = {"openapi": "3.1.0", "servers": [{"url": "./v2/"}], "paths": {"/pets": get()}}
    echo.answers.append(PlainTextResponse(json.dumps(root)))
    assert openapi_tools(f"{echo.url}/api/openapi.json")[0].operation.server == f"{echo.url}/api/v2"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"info": {}}, "the mapping has no 'openapi'; expected OpenAPI 3.0, 3.1 or 3.2"),
        ({"swagger": "2.0"}, "the mapping says 'swagger: 2.0'; expected OpenAPI 3.0, 3.1 or 3.2"),
        ("/nowhere/openapi.json", "the OpenAPI document /nowhere/openapi.json cannot be read"),
        ("http://127.0.0.1:1/x", "the OpenAPI document http://127.0.0.1:1/x: cannot be fetched"),
        (17, "a path, an URL or a mapping, not int"),
        ({"openapi": "3.1.0", "paths": {"/a": get()}}, "GET /a: the server '/' is not an absolute http(s) address"),
        (
            {"openapi": "3.1.0", "servers": [{"url": "http://me:pw@x"}], "paths": {"/a": get()}},
            "a server's address holds no credentials",
        ),
    ],
)
def test_what_is_no_usable_document_is_said(source: object, said: str) -> None:
    with pytest.raises(DefinitionInvalid) as caught:
        openapi_tools(source)
    assert said in str(caught.value)
    assert "pw" not in str(caught.value)


def test_a_document_that_is_too_large_is_not_read_to_its_end(echo: Any) -> None:
    echo.answers.append(PlainTextResponse(b"x" * 20_000_001))
    with pytest.raises(DefinitionInvalid, match="larger than 20,000,000 bytes"):
        openapi_tools(echo.url)


def test_an_address_that_has_no_document_is_said(echo: Any) -> None:
    echo.answers.append(Response(status_code=404))
    with pytest.raises(DefinitionInvalid, match="the server answered 404"):
        openapi_tools(echo.url)


def test_names_are_made_valid_and_unique(document: Any) -> None:
    paths = {
        "/a": {"get": {"operationId": "pets.list all"}, "post": {"operationId": "pets/list all"}},
        "/pets/{id}": {"delete": {}},
        "/long": {"get": {"operationId": "x" * 80}, "put": {"operationId": "x" * 90}},
    }
    assert [each.name for each in openapi_tools(document(paths), base_url=BASE)] == [
        "pets_list_all",
        "pets_list_all_2",
        "delete_pets_id",
        "x" * 64,
        "x" * 62 + "_2",
    ]


def test_a_path_that_names_what_no_parameter_does_has_an_argument_for_it(document: Any) -> None:
    found = schema_of(document, {"/pets/{id}": get()})
    assert (found["properties"], found["required"]) == ({"id": {"type": "string"}}, ["id"])


def test_a_description_is_the_summary_and_the_description(document: Any) -> None:
    paths = {
        "/a": {"get": {"summary": "Short.", "description": "Long.\n", "deprecated": True}},
        "/b": {"summary": "All.", "get": {"description": "All."}},
        "/c": {"get": {}},
    }
    tools = openapi_tools(document(paths), base_url=BASE)
    assert [each.description for each in tools] == ["Short.\n\nLong.\n\nDeprecated.", "All.", "GET /c"]
    assert [each.definition.version for each in tools] == ["7"] * 3


def test_only_takes_names_operation_ids_and_paths(document: Any) -> None:
    paths = {"/a": {"get": {"operationId": "a.b"}, "post": {}}, "/c/d": {"get": {}}}
    chosen = [
        [each.name for each in openapi_tools(document(paths), base_url=BASE, only=only)]
        for only in (["a_b"], ["a.*"], ["GET /*"], "post_a")
    ]
    assert chosen == [["a_b"], ["a_b"], ["a_b", "get_c_d"], ["post_a"]]
    with pytest.raises(DefinitionInvalid, match=r"only='nope' fits no operation; there are: a_b, post_a, get_c_d"):
        openapi_tools(document(paths), base_url=BASE, only=["nope"])


def test_parameters_and_the_bodys_properties_are_one_flat_list_of_arguments(document: Any) -> None:
    body = {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "name": {"$ref": "#/components/schemas/Name"}},
        "required": ["name"],
    }
    paths = {
        "/pets/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "schema": {"type": "string"}, "description": "Which pet."},
                {"name": "page", "in": "query", "schema": {"type": "integer"}},
            ],
            "post": {
                "parameters": [
                    {"name": "page", "in": "query", "required": True, "schema": {"type": "string"}, "example": "x"},
                    {"name": "id", "in": "query", "schema": {}},
                    {"name": "filter[name]", "in": "query", "schema": {"type": "string"}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                    {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
                ],
                "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
            },
        }
    }

    assert schema_of(document, paths, schemas={"Name": {"type": "string", "minLength": 1}}) == {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "Which pet."},
            "page": {"type": "string", "examples": ["x"]},
            "query_id": {},
            "filter_name": {"type": "string"},
            "X-Trace": {"type": "string"},
            "body_id": {"type": "integer"},
            "name": {"$ref": "#/$defs/Name"},
        },
        "required": ["id", "page", "name"],
        "additionalProperties": False,
        "$defs": {"Name": {"type": "string", "minLength": 1}},
    }


@pytest.mark.parametrize(
    ("schema", "required"),
    [
        ({"type": "array"}, True),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"}}, True),
        ({"allOf": [{"type": "object"}]}, True),
        # Without the body, `a` is not needed; with it, it is: the flat list could not say so.
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, False),
    ],
)
def test_a_body_that_is_no_plain_list_of_properties_is_one_argument(document: Any, schema: Any, required: bool) -> None:
    body = {"required": required, "description": "All.", "content": {"application/json": {"schema": schema}}}
    found = schema_of(document, {"/a": {"post": {"requestBody": body}}})
    assert found["properties"] == {"body": {**schema, "description": "All."}}
    assert found.get("required", []) == (["body"] if required else [])


def test_json_is_the_body_of_choice(document: Any) -> None:
    content = {
        "application/x-protobuf": {"schema": {"type": "string", "format": "binary"}},
        "text/csv": {"schema": {"type": "string"}},
        "application/vnd.pets+json": {"schema": {"type": "array"}},
    }
    found = schema_of(document, {"/a": {"post": {"requestBody": {"content": content}}}})
    assert found["properties"] == {"body": {"type": "array"}}


def test_a_recursive_schema_refers_to_itself_and_holds(document: Any) -> None:
    node = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}},
        "additionalProperties": False,
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}
    found = schema_of(document, {"/a": {"put": {"requestBody": body}}}, schemas={"Node": node})

    assert found["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    check = validator(found)
    assert check({"children": [{"children": [{}]}]}) == ()
    assert check({"children": [{"children": [{"other": 1}]}]})


def test_references_anywhere_are_followed_and_of_equal_names_both_are_kept(document: Any) -> None:
    paths = {
        "/a": {"$ref": "#/components/pathItems/A"},
        "/b": {"get": {"responses": {}, "parameters": [{"$ref": "#/paths/~1a/get/parameters/0"}]}},
    }
    items = {
        "A": {
            "get": {
                "parameters": [
                    {"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/Same"}},
                    {"name": "b", "in": "query", "schema": {"$ref": "#/components/x-more/Same"}},
                ]
            }
        }
    }
    root = document(
        paths,
        components={"pathItems": items, "schemas": {"Same": {"type": "string"}}, "x-more": {"Same": {"minimum": 1}}},
    )
    root["paths"]["/b"]["get"]["parameters"][0]["$ref"] = "#/components/pathItems/A/get/parameters/0"
    first, second = openapi_tools(root, base_url=BASE)
    assert first.input_schema["$defs"] == {"Same": {"type": "string"}, "Same_2": {"minimum": 1}}
    assert second.input_schema["properties"] == {"a": {"$ref": "#/$defs/Same"}}


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("#/components/schemas/Nope", "'#/components/schemas/Nope' is not in the document"),
        ("other.yaml#/Pet", "'other.yaml#/Pet' is not in the document"),
        ("file:///etc/passwd", "'file:///etc/passwd' is not in the document"),
    ],
)
def test_a_reference_that_leads_nowhere_names_the_operation(document: Any, reference: str, said: str) -> None:
    paths = {"/a": get(parameters=[{"name": "a", "in": "query", "schema": {"$ref": reference}}])}
    with pytest.raises(DefinitionInvalid) as caught:
        openapi_tools(document(paths), base_url=BASE)
    assert str(caught.value).startswith(f"GET /a: {said}")


def test_references_in_a_circle_are_said(document: Any) -> None:
    root = document({"/a": get(parameters=[{"$ref": "#/components/parameters/A"}])})
    root["components"] = {"parameters": {"A": {"$ref": "#/components/parameters/A"}}}
    with pytest.raises(DefinitionInvalid, match="go in a circle"):
        openapi_tools(root, base_url=BASE)


def test_the_schemas_of_3_0_become_json_schema(document: Any) -> None:
    schema = {
        "type": "object",
        "properties": {
            "age": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False},
            "height": {"type": "number", "maximum": 3, "exclusiveMaximum": True},
            "weight": {"type": "number", "exclusiveMaximum": 3},
            "name": {"type": "string", "nullable": True, "example": "Rex", "enum": ["Rex"]},
            "any": {"nullable": True, "minLength": 1, "xml": {"name": "pet"}, "x-extra": 1},
            "id": {"type": "string", "readOnly": True},
            "seen": {"$ref": "#/components/schemas/Owner", "description": "ignored beside a reference"},
        },
        "required": ["id", "age"],
    }
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    found = schema_of(document, {"/a": {"post": {"requestBody": body}}}, "3.0.3", schemas={"Owner": {"type": "string"}})
    assert found["properties"] == {
        "age": {"type": "integer", "exclusiveMinimum": 0, "maximum": 9},
        "height": {"type": "number", "exclusiveMaximum": 3},
        "weight": {"type": "number", "exclusiveMaximum": 3},
        "name": {"type": ["string", "null"], "enum": ["Rex", None], "examples": ["Rex"]},
        "any": {"minLength": 1},
        "seen": {"$ref": "#/$defs/Owner"},
    }
    assert found["required"] == ["age"]


def test_true_and_false_are_schemas(document: Any) -> None:
    parameters = [{"name": name, "in": "query", "schema": name == "yes"} for name in ("yes", "no")]
    assert schema_of(document, {"/a": get(parameters=parameters)})["properties"] == {"yes": {}, "no": {"not": {}}}


def test_a_body_of_no_media_type_is_no_argument(document: Any) -> None:
    assert schema_of(document, {"/a": {"post": {"requestBody": {"content": {}}}}})["properties"] == {}


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.yaml").open("wb") as file:
        file.truncate(20_000_001)
    with pytest.raises(DefinitionInvalid, match="larger than 20,000,000 bytes"):
        openapi_tools(tmp_path / "a.yaml")


def test_a_pattern_that_python_cannot_read_is_left_to_the_service(document: Any) -> None:
    paths = {"/a": get(parameters=[{"name": "a", "in": "query", "schema": {"pattern": r"^\p{L}+$", "minLength": 1}}])}
    assert schema_of(document, paths)["properties"]["a"] == {"minLength": 1}


def test_a_property_may_be_named_like_a_keyword(document: Any) -> None:
    schema = {"type": "object", "properties": {"$ref": {"type": "string"}, "example": {"readOnly": False}}}
    body = {"required": True, "content": {"application/json": {"schema": {"type": "array", "items": schema}}}}
    found = schema_of(document, {"/a": {"post": {"requestBody": body}}})
    assert found["properties"]["body"]["items"]["properties"] == {"$ref": {"type": "string"}, "example": {}}


def test_a_key_that_is_also_listed_as_a_parameter_is_no_argument(document: Any) -> None:
    root = document(
        {"/a": get(security=[{"key": []}], parameters=[{"name": "x-key", "in": "header", "schema": {}}])},
        components={"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    )
    assert openapi_tools(root, base_url=BASE)[0].input_schema["properties"] == {}


def test_without_the_extra_it_is_said_what_to_install(document: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx2", None)
    with pytest.raises(ExtraMissing, match=r"needs httpx2: pip install 'mcp-agent-inspector\[openapi\]'"):
        openapi_tools(document({}))
