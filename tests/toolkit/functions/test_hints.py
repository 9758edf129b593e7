import asyncio
import collections
import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    Optional,
    TypeVar,
)
from uuid import UUID

import annotated_types
import pytest
import typing_extensions
from pydantic import AfterValidator, BaseModel, Field, HttpUrl
from pydantic.dataclasses import dataclass as pydantic_dataclass

from toolkit.errors import ArgumentsInvalid, DefinitionInvalid
from toolkit.functions import FunctionTool
from toolkit.schemas.validation import validator

T = TypeVar("T")
UserId = NewType("UserId", int)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Way(enum.Enum):
    NORTH = (0, 1)
    SOUTH = (0, -1)


class Access(enum.Flag):
    READ = 1
    WRITE = 2


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class Box(Generic[T]):
    inside: T
    more: list[T] = field(default_factory=list)


@dataclass
class Node:
    name: str
    children: "list[Node]" = field(default_factory=list)


class Search(typing_extensions.TypedDict, total=False):
    query: typing_extensions.Required[str]
    limit: int


class Strict(typing_extensions.TypedDict):
    query: str
    limit: typing_extensions.NotRequired[int]


class City(NamedTuple):
    name: str
    people: int = 0


class Order(BaseModel):
    number: int = Field(ge=1, description="as on the invoice")
    when: datetime
    parts: "list[Order]" = []


@pydantic_dataclass
class Parcel:
    weight: float


class Unread:
    """A class of the application's."""


def taking(hint, seen=None):
    def take(value):
        if seen is not None:
            seen.append(value)

    take.__annotations__ = {"value": hint}
    return FunctionTool(take)


def schema_of(hint, *, output=False):
    def give(): ...

    give.__annotations__ = {"return": hint}
    tool = FunctionTool(give) if output else taking(hint)
    schema = dict(tool.output_schema) if output else dict(tool.input_schema["properties"]["value"])
    if "$defs" in tool.input_schema:
        schema["$defs"] = tool.input_schema["$defs"]
    validator(schema)
    return schema


def read(hint, value):
    seen = []
    result = asyncio.run(taking(hint, seen)({"value": value}))
    if result.exception is not None:
        raise result.exception
    return seen[0]


def refusal(hint, value):
    with pytest.raises(ArgumentsInvalid) as caught:
        read(hint, value)
    return str(caught.value).removeprefix("invalid arguments for take: ")


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (object, {}),
        (datetime, {"type": "string", "format": "date-time"}),
        (date, {"type": "string", "format": "date"}),
        (time, {"type": "string", "format": "time"}),
        (timedelta, {"type": "string", "format": "duration"}),
        (UUID, {"type": "string", "format": "uuid"}),
        (Path, {"type": "string", "format": "path"}),
        (bytes, {"type": "string", "contentEncoding": "base64"}),
        (list, {"type": "array", "items": {}}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (Iterable[str], {"type": "array", "items": {"type": "string"}}),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (
            tuple[int, str],
            {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        ),
        (tuple[()], {"type": "array", "minItems": 0, "maxItems": 0}),
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (
            Mapping[int, str],
            {
                "type": "object",
                "additionalProperties": {"type": "string"},
            },
        ),
        (
            dict[Literal["a", "b"], int],
            {
                "type": "object",
                "propertyNames": {"enum": ["a", "b"]},
                "additionalProperties": {"type": "integer"},
            },
        ),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045 - both spellings are read
        (int | Any, {"anyOf": [{"type": "integer"}, {}]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, "a", None], {"enum": [1, "a", None]}),  # noqa: PYI061 - a closed set may have null in it
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Size, {"type": "integer", "enum": [1, 2]}),
        (Way, {"type": "string", "enum": ["NORTH", "SOUTH"]}),
        (Access, {"enum": [1, 2], "type": "integer"}),
        (UserId, {"type": "integer"}),
        (T, {}),
    ],
)
def test_a_hint_has_the_schema_of_its_json(hint, schema):
    assert schema_of(hint) == schema


def test_a_dataclass_is_an_object_that_takes_nothing_else():
    assert schema_of(Point) == {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
        "required": ["x"],
        "additionalProperties": False,
    }
    assert read(Point, {"x": 1, "y": 2}) == Point(1, 2)
    assert refusal(Point, {"x": 1, "z": 2}) == "value: unexpected 'z'; allowed: 'x', 'y'"
    assert refusal(Point, {"y": 1}) == "value: missing 'x', which is an integer"


def test_a_returned_dataclass_has_all_its_fields_and_may_have_more():
    assert schema_of(Point, output=True) == {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
        "required": ["x", "y"],
    }


def test_a_generic_dataclass_is_filled_with_its_argument():
    schema = schema_of(Box[int])
    assert schema["properties"]["inside"] == {"type": "integer"}
    assert schema["properties"]["more"] == {"type": "array", "items": {"type": "integer"}}
    assert read(Box[Point], {"inside": {"x": 1}}) == Box(Point(1))


def test_a_type_that_contains_itself_is_defined_once():
    schema = schema_of(Node)
    assert schema["$ref"] == "#/$defs/Node"
    assert schema["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    tree = {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}
    assert validator(schema)(tree) == ()
    assert read(Node, tree) == Node("a", [Node("b", [Node("c")])])
    [problem] = validator(schema)({"name": "a", "children": [{"name": "b", "children": [{"name": 1}]}]})
    assert str(problem) == "children[0].children[0].name: expected a string, found the number 1"


def test_a_type_that_is_used_twice_is_defined_once_and_else_stands_in_its_place():
    once = schema_of(tuple[Point, int])
    twice = schema_of(tuple[Point, Point])
    assert "$defs" not in once
    assert twice["prefixItems"] == [{"$ref": "#/$defs/Point"}] * 2
    assert list(twice["$defs"]) == ["Point"]


def test_two_types_of_one_name_have_definitions_of_their_own():
    @dataclass
    class Point:
        z: str

    schema = schema_of(tuple[globals()["Point"], Point, globals()["Point"], Point])
    assert [list(each["properties"]) for each in schema["$defs"].values()] == [["x", "y"], ["z"]]


def test_what_a_typed_dict_requires_is_required():
    search = schema_of(Search)
    assert search["required"] == ["query"]
    assert search["properties"]["limit"] == {"type": "integer"}
    assert schema_of(Strict)["required"] == ["query"]


def test_a_read_only_key_of_a_typed_dict_is_its_type():
    class Sealed(typing_extensions.TypedDict):
        name: typing_extensions.ReadOnly[str]
        more: typing_extensions.ReadOnly[typing_extensions.NotRequired[int]]

    schema = schema_of(Sealed)
    assert schema["properties"] == {"name": {"type": "string"}, "more": {"type": "integer"}}
    assert schema["required"] == ["name"]


def test_a_named_tuple_is_an_object():
    assert schema_of(City)["required"] == ["name"]
    assert read(City, {"name": "Bonn"}) == City("Bonn", 0)


def test_a_pydantic_model_has_its_own_schema_and_makes_its_own_values():
    schema = schema_of(Order)
    order = schema["$defs"]["Order"]
    assert order["properties"]["number"]["minimum"] == 1
    assert order["properties"]["parts"]["items"] == {"$ref": "#/$defs/Order"}
    value = {"number": 3, "when": "2026-01-31T12:00:00Z", "parts": [{"number": 4, "when": "2026-01-31T12:00:00Z"}]}
    assert validator(schema)(value) == ()
    assert read(list[Order], [value])[0].parts[0].number == 4
    assert refusal(list[Order], [{"number": 1, "when": "never"}]) == (
        "value[0].when: expected a date and time as in '2026-01-31T12:00:00Z', found the string 'never'"
    )


def test_a_pydantic_model_beside_a_dataclass_of_its_name_keeps_both():
    @dataclass
    class Order:
        note: str

    schema = schema_of(tuple[Order, Order, globals()["Order"]])
    note, order = schema["prefixItems"][0]["$ref"], schema["prefixItems"][2]["$ref"]
    definitions = {f"#/$defs/{name}": each for name, each in schema["$defs"].items()}
    assert list(definitions[note]["properties"]) == ["note"]
    assert definitions[order]["properties"]["parts"]["items"] == {"$ref": order}


def test_pydantics_other_types_are_understood():
    assert schema_of(HttpUrl)["format"] == "uri"
    assert str(read(HttpUrl, "http://localhost/x")) == "http://localhost/x"
    assert schema_of(Parcel)["properties"]["weight"]["type"] == "number"
    assert read(Parcel, {"weight": 1.5}).weight == 1.5
    doubled = Annotated[int, AfterValidator(lambda value: value * 2)]
    assert read(doubled, 4) == 8


def test_the_words_beside_a_type_describe_it():
    assert schema_of(Annotated[str, "what to look for"])["description"] == "what to look for"
    assert schema_of(Annotated[str, Field(description="what")])["description"] == "what"
    assert schema_of(Annotated[str, typing_extensions.Doc("what")])["description"] == "what"


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (Annotated[int, Field(ge=1, le=9)], {"minimum": 1, "maximum": 9}),
        (Annotated[float, Field(gt=0, lt=1)], {"exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        (Annotated[int, annotated_types.Interval(ge=1, lt=4)], {"minimum": 1, "exclusiveMaximum": 4}),
        (Annotated[int, annotated_types.MultipleOf(5)], {"multipleOf": 5}),
        (Annotated[str, annotated_types.Len(2, 5)], {"minLength": 2, "maxLength": 5}),
        (Annotated[str, Field(pattern="^a+$")], {"pattern": "^a+$"}),
        (Annotated[list[int], annotated_types.MinLen(1)], {"minItems": 1}),
        (Annotated[dict[str, int], Field(max_length=3)], {"maxProperties": 3}),
        (Annotated[str, Field(examples=["x"], json_schema_extra={"x-mine": 1})], {"examples": ["x"], "x-mine": 1}),
    ],
)
def test_bounds_beside_a_type_are_keywords(hint, words):
    schema = schema_of(hint)
    assert {word: schema.get(word) for word in words} == words


def test_a_bound_beside_an_optional_type_is_the_types():
    assert schema_of(Annotated[int | None, Field(ge=1)]) == {
        "anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]
    }


def test_an_alias_may_contain_itself():
    Json = typing_extensions.TypeAliasType("Json", "dict[str, Json] | list[Json] | str | None")
    schema = schema_of(Json)
    assert validator(schema)({"a": ["b", {"c": None}]}) == ()
    assert validator(schema)({"a": [1]}) != ()
    Names = typing_extensions.TypeAliasType("Names", list[str])
    assert schema_of(Names) == {"type": "array", "items": {"type": "string"}}
    Several = typing_extensions.TypeAliasType("Several", list[T], type_params=(T,))
    assert schema_of(Several[int]) == {"type": "array", "items": {"type": "integer"}}


@pytest.mark.parametrize("hint", [type, collections.abc.Callable[[], int], memoryview, Unread])
def test_a_type_without_json_is_refused(hint):
    with pytest.raises(DefinitionInvalid, match="no JSON stands for"):
        schema_of(hint)


def test_a_field_without_json_is_named():
    @dataclass
    class Bad:
        good: int
        handle: memoryview

    with pytest.raises(
        DefinitionInvalid,
        match="argument 'value': no JSON stands for memoryview; if the program gives it, write value: Inject",
    ):
        schema_of(Bad)


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (int, 3.0, 3),
        (float, 3, 3.0),
        (Decimal, "1.50", Decimal("1.50")),
        (Decimal, 1.5, Decimal("1.5")),
        (Literal[1, True], True, True),
        (Size, 2, Size.LARGE),
        (Way, "SOUTH", Way.SOUTH),
        (Access, 3, Access.READ | Access.WRITE),
        (set[int], [1, 2, 1.0], {1, 2}),
        (collections.deque[int], [1], collections.deque([1])),
        (Point | City, {"name": "Bonn"}, City("Bonn")),
        (int | str, "1", "1"),
        (bytes, "AAE=", b"\x00\x01"),
        (datetime, "2026-01-31T12:00:00+00:00", datetime.fromisoformat("2026-01-31T12:00:00Z")),
        (timedelta, "PT1H30M", timedelta(hours=1.5)),
        (timedelta, "-P1DT0.5S", -timedelta(days=1, seconds=0.5)),
    ],
)
def test_json_is_read_as_the_hinted_type(hint, value, expected):
    found = read(hint, value)
    assert found == expected
    assert type(found) is type(expected)


def refuse(value):
    raise AssertionError


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        (date, "tomorrow", ": expected a date as in '2026-01-31', found the string 'tomorrow'"),
        (Decimal, "Infinity", ": expected a finite number, found the string 'Infinity'"),
        (timedelta, "P", ": expected a duration as in 'PT1H30M', found the string 'P'"),
        (bytes, "!", ": expected base64, found the string '!'"),
        (bool, 1, ": expected true or false, found the number 1"),
        (int, True, ": expected an integer, found true"),
        (float, True, ": expected a number, found true"),
        (list[int], {"a": 1}, ": expected an array, found an object with 'a'"),
        (tuple[int, int], [1], ": expected at least 2 items, found 1"),
        (dict[str, int], [], ": expected an object, found an array of 0"),
        (dict[int, int], {"x": 1}, ".x: expected an integer, found the string 'x'"),
        (Colour, "green", ": expected one of 'red', 'blue', found the string 'green'"),
        (list[Point], [{"x": 1}, {"x": "a"}], "[1].x: expected an integer, found the string 'a'"),
        (int | None, "x", ": expected an integer or null, found the string 'x'"),
        (set[list[int]], [[1]], "[0]: Set items should be hashable"),
        (int | date, "soon", ": expected an integer or a date as in '2026-01-31', found the string 'soon'"),
        (Annotated[int, AfterValidator(refuse)], 3, ": found the number 3, which the tool's own check refuses"),
    ],
)
def test_what_is_not_of_the_type_is_told_with_its_place(hint, value, said):
    assert refusal(hint, value) == f"value{said}"


def test_what_a_dataclass_refuses_itself_is_told():
    @dataclass
    class Even:
        number: int

        def __post_init__(self):
            if self.number % 2:
                raise ValueError("number must be even")

    assert refusal(Even, {"number": 3}) == "value: number must be even"


def test_what_a_dataclass_takes_and_does_not_keep_is_an_argument_of_it():
    @dataclass
    class Token:
        name: str
        secret: InitVar[int]
        length: InitVar[int] = 3
        kind: ClassVar[str] = "token"
        code: str = field(init=False)

        def __post_init__(self, secret, length):
            self.code = str(secret)[:length]

    schema = schema_of(Token)
    assert (list(schema["properties"]), schema["required"]) == (["name", "secret", "length"], ["name", "secret"])
    assert schema["properties"]["length"]["default"] == 3
    made = read(Token, {"name": "a", "secret": 12345})
    assert (made.name, made.code) == ("a", "123")
    assert list(schema_of(Token, output=True)["properties"]) == ["name"]
