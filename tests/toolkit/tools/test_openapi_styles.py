"""Parameters as OpenAPI's styles write them, and what a service reads of them."""

import asyncio
import json
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import ToolkitError
from toolkit.tools.openapi import OpenAPITool, openapi_tools
from toolkit.tools.openapi.styles import Parameter, in_cookie, in_header, in_path, in_query

COLORS = ["blue", "black", "brown"]
RGB = {"R": 100, "G": 200, "B": 150}


def parameter(style: str, *, explode: bool, place: Any = "query", **more: Any) -> Parameter:
    return Parameter(argument="color", name="color", place=place, style=style, explode=explode, **more)


def query(style: str, value: object, *, explode: bool, **more: Any) -> str:
    return "&".join(f"{name}={text}" for name, text in in_query(parameter(style, explode=explode, **more), value))


def test_every_style_of_the_specifications_table_is_written_as_there() -> None:
    # https://spec.openapis.org/oas/v3.1.1#style-examples
    def path(style: str, value: object, *, explode: bool) -> str:
        return in_path(parameter(style, explode=explode, place="path"), value)

    assert {
        "simple": [path("simple", each, explode=False) for each in ("blue", COLORS, RGB)],
        "simple, exploded": [path("simple", each, explode=True) for each in ("blue", COLORS, RGB)],
        "form": [query("form", each, explode=False) for each in ("blue", COLORS, RGB)],
        "form, exploded": [query("form", each, explode=True) for each in ("blue", COLORS, RGB)],
        "spaceDelimited": [query("spaceDelimited", each, explode=False) for each in (COLORS, RGB)],
        "pipeDelimited": [query("pipeDelimited", each, explode=False) for each in (COLORS, RGB)],
        "deepObject": [query("deepObject", RGB, explode=True)],
    } == {
        "simple": ["blue", "blue,black,brown", "R,100,G,200,B,150"],
        "simple, exploded": ["blue", "blue,black,brown", "R=100,G=200,B=150"],
        "form": ["color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"],
        "form, exploded": ["color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
        "spaceDelimited": ["color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
        "pipeDelimited": ["color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"],
        "deepObject": ["color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
    }


def test_a_nested_deep_object_is_written_with_brackets_all_the_way() -> None:
    written = query("deepObject", {"a": {"b": 1, "c": ["x", "y"]}, "d": None}, explode=True)
    assert unquote(written) == "color[a][b]=1&color[a][c]=x&color[a][c]=y"


def test_null_and_empty_values_leave_no_trace_in_a_query() -> None:
    assert [in_query(parameter("form", explode=True), each) for each in (None, [], {}, {"a": None})] == [[]] * 4
    assert [in_query(parameter("form", explode=False), each) for each in (None, [], {}, {"a": None})] == [[]] * 4


def test_true_and_numbers_are_written_as_json_writes_them() -> None:
    assert query("form", [True, None, 1.5, 10**20], explode=False) == "color=true,,1.5,100000000000000000000"


def test_allow_reserved_keeps_what_does_not_take_the_query_apart() -> None:
    assert query("form", "/a:b?c@d&e=f#g+h i%", explode=True, allow_reserved=True) == (
        "color=/a:b?c@d%26e=f%23g%2Bh%20i%25"
    )


def test_content_makes_a_parameter_json() -> None:
    assert query("form", {"a": [1]}, explode=True, as_json=True) == "color=%7B%22a%22%3A%5B1%5D%7D"
    assert in_header(parameter("simple", explode=False, place="header", as_json=True), {"a": "ü"}) == '{"a":"ü"}'


@pytest.mark.parametrize(
    "value",
    ["", ".", "..", "../admin", "a/../../b", "..\\windows", "a/..", [], {}, ["..", "x"], {"..": 1}, {"a": ".."}, None],
)
@pytest.mark.parametrize("explode", [False, True])
def test_a_path_that_would_lead_elsewhere_is_refused(value: Any, explode: bool) -> None:
    with pytest.raises(ToolkitError, match=r"^color: "):
        in_path(parameter("simple", explode=explode, place="path"), value)


@pytest.mark.parametrize("value", ["a\r\nX-Admin: 1", "a\nb", "a\0b"])
def test_a_header_cannot_be_broken_out_of(value: str) -> None:
    with pytest.raises(ToolkitError, match="line breaks"):
        in_header(parameter("simple", explode=False, place="header"), value)


def test_a_cookie_cannot_be_broken_out_of() -> None:
    assert in_cookie(parameter("form", explode=True, place="cookie"), "a; admin=1\r\n") == [
        ("color", "a%3B%20admin%3D1%0D%0A")
    ]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
STEP = TEXT.filter(lambda each: not any(part in (".", "..") for part in each.replace("\\", "/").split("/")))
HEADER = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=","), min_size=1, max_size=9)
KEYS = st.text("abcXYZ-_ &=#/?", min_size=1, max_size=5)

SCHEMA: dict[str, Any] = {
    "/things/{name}/{list}": {
        "get": {
            "operationId": "read",
            "parameters": [
                {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}},
                {"name": "list", "in": "path", "required": True, "schema": {"type": "array"}},
                {"name": "each", "in": "query", "schema": {"type": "array"}},
                {"name": "joined", "in": "query", "explode": False, "schema": {"type": "array"}},
                {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
                {"name": "raw", "in": "query", "allowReserved": True, "schema": {"type": "string"}},
                {"name": "json", "in": "query", "content": {"application/json": {"schema": {}}}},
                {"name": "X-List", "in": "header", "schema": {"type": "array"}},
                {"name": "crumb", "in": "cookie", "schema": {"type": "string"}},
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
            "deep": st.dictionaries(KEYS, TEXT, min_size=1, max_size=3),
            "raw": TEXT,
            "json": st.recursive(
                st.none() | st.booleans() | st.integers() | TEXT, lambda each: st.lists(each, max_size=3), max_leaves=4
            ),
            "X-List": st.lists(HEADER, min_size=1, max_size=3),
            "crumb": TEXT,
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
        "deep": {name[5:-1]: value for name, value in pairs if name.startswith("deep[")},
        "raw": next((value for name, value in pairs if name == "raw"), None),
        "json": next((json.loads(value) for name, value in pairs if name == "json"), None),
        "X-List": got["headers"].get("x-list", "").split(","),
        "crumb": unquote(got["headers"].get("cookie", "").removeprefix("crumb=")),
    }
    for name in arguments.keys() & decoded.keys():
        assert decoded[name] == arguments[name]
    assert {name.partition("[")[0] for name, _ in pairs} <= arguments.keys()
