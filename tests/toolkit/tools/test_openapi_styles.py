import asyncio
import re
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import ToolkitError
from toolkit.tools.openapi import OpenAPITool, openapi_tools
from toolkit.tools.openapi.operations import Parameter
from toolkit.tools.openapi.requests import in_path, in_query

COLORS = ["blue", "black", "brown"]
RGB = {"R": 100, "G": 200, "B": 150}


def parameter(place: Any = "query", *, explode: bool) -> Parameter:
    return Parameter("color", "color", place, explode)


def query(value: object, *, explode: bool) -> str:
    return "&".join(f"{name}={text}" for name, text in in_query(parameter(explode=explode), value))


def test_the_default_styles_are_written_as_in_the_specifications_table() -> None:
    # https://spec.openapis.org/oas/v3.1.1#style-examples
    def path(value: object, *, explode: bool) -> str:
        return in_path(parameter("path", explode=explode), value)

    assert {
        "simple": [path(value, explode=False) for value in ("blue", COLORS, RGB)],
        "simple, exploded": [path(value, explode=True) for value in ("blue", COLORS, RGB)],
        "form": [query(value, explode=False) for value in ("blue", COLORS, RGB)],
        "form, exploded": [query(value, explode=True) for value in ("blue", COLORS, RGB)],
    } == {
        "simple": ["blue", "blue,black,brown", "R,100,G,200,B,150"],
        "simple, exploded": ["blue", "blue,black,brown", "R=100,G=200,B=150"],
        "form": ["color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
        "form, exploded": ["color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
    }


def test_null_and_empty_values_leave_no_trace_in_a_query() -> None:
    assert [in_query(parameter(explode=True), each) for each in (None, [], {}, {"a": None})] == [[]] * 4
    assert [in_query(parameter(explode=False), each) for each in (None, [], {}, {"a": None})] == [[]] * 4


def test_true_and_numbers_are_written_as_json_writes_them() -> None:
    assert query([True, None, 1.5, 10**20], explode=False) == "color=true,,1.5,100000000000000000000"


@pytest.mark.parametrize(
    "value",
    ["", ".", "..", "../admin", "a/../../b", "..\\windows", "a/..", [], {}, ["..", "x"], {"..": 1}, {"a": ".."}, None],
)
@pytest.mark.parametrize("explode", [False, True])
def test_a_path_that_would_lead_elsewhere_is_refused(value: Any, explode: bool) -> None:
    with pytest.raises(ToolkitError, match=r"^color: "):
        in_path(parameter("path", explode=explode), value)


@pytest.mark.parametrize("value", ["a\r\nX-Admin: 1", "a\nb", "a\0b"])
def test_a_header_cannot_be_broken_out_of(echo: Any, value: str) -> None:
    parameters = [{"name": "X-Color", "in": "header", "schema": {"type": "string"}}]
    root = {"openapi": "3.1.0", "paths": {"/": {"get": {"parameters": parameters}}}}
    result = asyncio.run(openapi_tools(root, base_url=echo.url)[0]({"X-Color": value}))
    assert result.is_error
    assert echo.requests == []


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
STEP = TEXT.filter(lambda each: not any(part in (".", "..") for part in re.split(r"[/\\=]", each)))
HEADER = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=","), min_size=1, max_size=9)

SCHEMA: dict[str, Any] = {
    "/things/{name}/{list}": {
        "get": {
            "operationId": "read",
            "parameters": [
                {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}},
                {"name": "list", "in": "path", "required": True, "schema": {"type": "array"}},
                {"name": "each", "in": "query", "schema": {"type": "array"}},
                {"name": "joined", "in": "query", "explode": False, "schema": {"type": "array"}},
                {"name": "raw", "in": "query", "allowReserved": True, "schema": {"type": "string"}},
                {"name": "X-List", "in": "header", "schema": {"type": "array"}},
            ],
        }
    }
}


@pytest.fixture(scope="module")
def read(shared_echo: Any) -> OpenAPITool:
    root = {"openapi": "3.1.0", "info": {"title": "Things", "version": "1"}, "paths": SCHEMA}
    return openapi_tools(root, base_url=shared_echo.url)[0]


@given(
    arguments=st.fixed_dictionaries(
        {"name": STEP, "list": st.lists(STEP, min_size=1, max_size=3)},
        optional={
            "each": st.lists(TEXT, min_size=1, max_size=3),
            "joined": st.lists(TEXT, min_size=1, max_size=3),
            "raw": TEXT,
            "X-List": st.lists(HEADER, min_size=1, max_size=3),
        },
    )
)
def test_a_service_decodes_what_the_model_meant(read: OpenAPITool, arguments: dict[str, Any]) -> None:
    result = asyncio.run(read(arguments))

    assert not result.is_error, result.text
    got = result.structured
    _, things, name, items = got["path"].split("/")
    assert (things, unquote(name), [unquote(each) for each in items.split(",")]) == (
        "things",
        arguments["name"],
        arguments["list"],
    )
    pairs = parse_qsl(got["query"], keep_blank_values=True)
    decoded: dict[str, Any] = {
        "each": [value for name, value in pairs if name == "each"],
        "joined": [
            unquote(each)
            for part in got["query"].split("&")
            if part.startswith("joined=")
            for each in part.removeprefix("joined=").split(",")
        ],
        "raw": next((value for name, value in pairs if name == "raw"), None),
        "X-List": got["headers"].get("x-list", "").split(","),
    }
    for name in arguments.keys() & decoded.keys():
        assert decoded[name] == arguments[name]
    assert {name for name, _ in pairs} <= arguments.keys()
