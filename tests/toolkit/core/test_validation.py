import subprocess
import sys

import pytest

from toolkit.errors import DefinitionInvalid
from toolkit.schemas.validation import PROBLEMS_LIMIT, validator

FILTER = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "kind": {"enum": ["a", "b"]}},
    "required": ["city"],
    "additionalProperties": False,
}


def said(schema, value):
    return [str(each) for each in validator(schema)(value)]


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        ({"type": "integer"}, "x", "expected an integer, found the string 'x'"),
        ({"type": "string"}, None, "expected a string, found null"),
        ({"type": "boolean"}, 1, "expected true or false, found the number 1"),
        ({"type": "array"}, {"a": 1}, "expected an array, found an object with 'a'"),
        ({"type": "object"}, [1, 2], "expected an object, found an array of 2"),
        ({"type": ["string", "null"]}, 3.5, "expected a string or null, found the number 3.5"),
        ({"enum": ["a", 1]}, "c", "expected one of 'a', 1, found the string 'c'"),
        ({"const": "a"}, "b", "expected 'a', found the string 'b'"),
        ({"minimum": 1}, 0, "expected at least 1, found the number 0"),
        ({"maximum": 1}, 2, "expected at most 1, found the number 2"),
        ({"exclusiveMinimum": 1}, 1, "expected more than 1, found the number 1"),
        ({"exclusiveMaximum": 1}, 1, "expected less than 1, found the number 1"),
        ({"multipleOf": 5}, 6, "expected a multiple of 5, found the number 6"),
        ({"minLength": 2}, "a", "expected at least 2 characters, found 1"),
        ({"maxLength": 2}, "abc", "expected at most 2 characters, found 3"),
        ({"pattern": "^a+$"}, "b", "expected a string that matches '^a+$', found the string 'b'"),
        ({"minItems": 2}, [1], "expected at least 2 items, found 1"),
        ({"maxItems": 2}, [1, 2, 3], "expected at most 2 items, found 3"),
        ({"uniqueItems": True}, [1, 1.0], "expected items that all differ"),
        ({"minProperties": 1}, {}, "expected at least 1 properties, found 0"),
        ({"maxProperties": 0}, {"a": 1}, "expected at most 0 properties, found 1"),
        (FILTER, {}, "missing 'city', which is a string"),
        (FILTER, {"city": "x", "town": 1}, "unexpected 'town'; allowed: 'city', 'kind'"),
        (FILTER | {"properties": {}}, {"city": "x"}, "unexpected 'city'; allowed: nothing"),
        (FILTER, {"city": "x", "kind": "c"}, "kind: expected one of 'a', 'b', found the string 'c'"),
        ({"not": {"type": "string"}}, "x", "'x' should not be valid under {'type': 'string'}"),
    ],
)
def test_a_problem_says_what_is_expected_and_what_was_found(schema, value, problem):
    assert said(schema, value) == [problem]


def test_a_problem_says_where_it_is():
    schema = {"type": "object", "properties": {"filters": {"type": "array", "items": FILTER}}}
    problems = validator(schema)({"filters": [{"city": "x"}, {"city": 5}]})
    assert [(each.path, each.message) for each in problems] == [
        ("filters[1].city", "expected a string, found the number 5")
    ]


def test_several_problems_are_told_at_once_but_not_all_of_very_many():
    schema = {"type": "array", "items": {"type": "integer"}}
    assert len(said(schema, ["x", "y"])) == 2
    assert len(said(schema, ["x"] * 1000)) == PROBLEMS_LIMIT


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (3, "expected an object or null, found the number 3"),
        ({"city": 1}, "city: expected a string, found the number 1"),
        ({}, "missing 'city', which is a string"),
    ],
)
def test_of_alternatives_the_one_that_is_meant_is_explained(value, problem):
    assert said({"anyOf": [FILTER, {"type": "null"}]}, value) == [problem]


def test_of_objects_the_one_whose_kind_fits_is_explained():
    cat = {"properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}, "required": ["kind", "lives"]}
    dog = {"properties": {"kind": {"const": "dog"}, "name": {"type": "string"}}, "required": ["kind", "name"]}
    schema = {"oneOf": [cat, dog]}
    assert said(schema, {"kind": "dog", "name": 1}) == ["name: expected a string, found the number 1"]
    assert said(schema, {"kind": "cat", "lives": "x"}) == ["lives: expected an integer, found the string 'x'"]
    assert said(schema, {"kind": "cow"})


def test_a_valid_value_has_no_problems():
    assert said(FILTER, {"city": "x", "kind": "a"}) == []


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"type": "strnig"}, "at type"),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {"minimum": "x"}}}},
            "at properties.a.items",
        ),
        ({"properties": []}, "at properties"),
    ],
)
def test_a_schema_that_is_none_is_refused_and_the_place_is_named(schema, place):
    with pytest.raises(DefinitionInvalid, match=f"no valid JSON Schema {place}"):
        validator(schema)


def test_a_schema_that_json_cannot_hold_is_refused():
    endless = {}
    endless["properties"] = {"a": endless}
    with pytest.raises(DefinitionInvalid, match="no JSON Schema"):
        validator(endless)


@pytest.mark.parametrize(
    "reference", ["https://127.0.0.1:1/schema.json", "file:///etc/passwd", "#/$defs/Missing", "other.json", "#anchor"]
)
def test_a_reference_to_what_is_not_there_is_refused_and_never_fetched(reference):
    schema = {"type": "object", "properties": {"a": {"items": {"$ref": reference}}}}
    with pytest.raises(DefinitionInvalid, match="which is not in it; nothing is ever fetched") as caught:
        validator(schema)
    assert repr(reference) in str(caught.value)


def test_a_property_that_is_called_ref_is_no_reference():
    schema = {"type": "object", "properties": {"$ref": {"type": "string"}}, "default": {"$ref": "x"}}
    assert said(schema, {"$ref": "anything"}) == []


def test_references_inside_the_schema_and_to_json_schema_itself_are_followed():
    schema = {
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
        "properties": {
            "node": {"$ref": "#/$defs/Node"},
            "schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        },
    }
    assert said(schema, {"node": {"next": {"next": 3}}}) == ["node.next.next: expected an object, found the number 3"]
    assert said(schema, {"schema": {"type": "string"}}) == []


def test_equal_schemas_share_one_validator():
    assert validator({"type": "integer", "minimum": 7}) is validator({"type": "integer", "minimum": 7})


def test_a_value_that_never_ends_in_depth_is_a_problem():
    schema = {"$defs": {"N": {"type": "array", "items": {"$ref": "#/$defs/N"}}}, "$ref": "#/$defs/N"}
    deep = value = []
    for _ in range(100_000):
        value.append([])
        value = value[0]
    assert said(schema, deep) == ["nested too deeply"]


def test_what_a_problem_quotes_is_short():
    [told] = said({"type": "integer"}, "x" * 1_000_000)
    assert len(told) < 200
    [told] = said({"type": "integer"}, {"k" * 1_000_000: 1})
    assert len(told) < 200
    [told] = said(FILTER | {"required": []}, {"k" * 1_000_000: 1})
    assert len(told) < 300
    [told] = said({"not": {}}, "x" * 1_000_000)
    assert len(told) < 300
    assert len(said({"enum": list(range(1000))}, "x")[0]) < 300


def test_validating_opens_no_connection_and_imports_no_network_module():
    program = (
        "import sys, socket\n"
        "def no(*_args, **_kwargs): raise AssertionError('a socket was opened')\n"
        "socket.socket.connect = no\n"
        "from toolkit.errors import DefinitionInvalid\n"
        "from toolkit.schemas.validation import validator\n"
        "try:\n    validator({'$ref': 'http://127.0.0.1:9/x'})\n"
        "except DefinitionInvalid as error:\n    print(error)\n"
        "print(validator({'type': 'integer'})('x')[0])\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "expected an integer, found the string 'x'"


@pytest.mark.parametrize("schema", [{"type": "number"}, {"type": "number", "maximum": 10}])
def test_numbers_that_are_no_json_are_none(schema):
    assert said(schema, float("nan")) == ["expected a number, found the number nan"]
    assert said(schema, float("-inf")) == ["expected a number, found the number -inf"]
    assert said(schema, 3) == said(schema, 2.5) == []
    assert said({"type": "number"}, 10**400) == []
