import math

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolkit.schema.quick import quick_look

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(lambda kind: {"type": kind})
LEAVES = SCALARS | st.sampled_from(
    [True, False, {}, {"type": "string", "enum": ["a", "b"]}, {"title": "x"}, {"type": "integer", "minimum": 1}]
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda several: {"anyOf": several}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda properties, required, further: {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": further,
            },
            st.dictionaries(NAMES, inner, max_size=3),
            st.lists(NAMES, unique=True, max_size=2),
            st.booleans() | SCALARS,
        ),
    ),
    max_leaves=6,
)


def values(*more):
    return st.recursive(
        st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from([0.0, 1.0, 1.5, "a", "x", *more]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
        max_leaves=6,
    )


JSON_VALUES = values()
VALUES = values(math.nan, math.inf)


@given(SCHEMAS, VALUES)
def test_what_the_first_look_takes_is_valid(schema, value):
    look = quick_look(schema)
    if look is not None and look(value):
        assert Draft202012Validator(schema).is_valid(value)


@given(JSON_VALUES)
def test_the_first_look_takes_what_json_writes(value):
    kinds = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}

    def schema_of(value):
        if isinstance(value, dict):
            properties = {name: schema_of(each) for name, each in value.items()}
            return {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
                "description": "x",
            }
        if isinstance(value, list):
            return {"type": "array", "items": {"anyOf": [schema_of(each) for each in value] or [{}]}}
        return {"type": kinds[type(value)]}

    assert quick_look(schema_of(value))(value)


def test_what_only_jsonschema_knows_gets_no_first_look():
    for schema in (
        {"type": "integer", "minimum": 1},
        {"$ref": "#/$defs/x"},
        {"enum": [1]},
        {"type": ["string", "null"]},
        {"properties": {"a": {"type": "string"}}},
        {"type": "array", "items": {"pattern": "x"}},
        {"type": "object", "properties": {"a": {"const": 1}}},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        False,
    ):
        assert quick_look(schema) is None


def test_numbers_and_truth_are_kept_apart():
    assert not quick_look({"type": "integer"})(True)
    assert not quick_look({"type": "boolean"})(1)
    assert not quick_look({"type": "number"})(False)
    assert quick_look({"type": "number"})(1)
    assert quick_look({"type": "number"})(10**400)


def test_what_json_has_no_number_for_is_none():
    for value in (math.nan, math.inf, -math.inf):
        assert not quick_look({"type": "number"})(value)


def test_an_object_needs_what_is_required_and_takes_only_what_is_allowed():
    look = quick_look(
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
    )
    assert look({"a": "x"})
    assert not look({})
    assert not look({"a": "x", "b": 1})
    assert not look({"a": 1})
    assert not look([])
    assert quick_look({"type": "object", "required": ["a"]})({"a": 1, "b": 2})
