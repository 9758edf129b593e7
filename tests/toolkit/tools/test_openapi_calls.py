import asyncio
from base64 import b64decode, b64encode
from typing import Any

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from instrument.testing import capture
from toolkit.content import ImageContent, ResourceContent, TextContent
from toolkit.context import ToolContext
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, ToolTimedOut
from toolkit.tools.openapi import openapi_tools


def call(tool: Any, context: ToolContext | None = None, **arguments: Any) -> Any:
    async def bounded() -> Any:
        async with asyncio.timeout(10):
            return await tool(arguments, context)

    return asyncio.run(bounded())


def posting(document: Any, echo: Any, content: dict[str, Any], *, required: bool = True, version: str = "3.1.0") -> Any:
    paths = {"/pets": {"post": {"requestBody": {"required": required, "content": content}}}}
    return openapi_tools(document(paths) | {"openapi": version}, base_url=echo.url)[0]


FIELDS = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array"}, "owner": {"type": "object"}, "n": {}},
}


def test_a_json_body_is_made_of_the_flat_arguments(document: Any, echo: Any, body_of: Any) -> None:
    tool = posting(document, echo, {"application/vnd.pets+json": {"schema": FIELDS}})
    call(tool, name="Rex ✓", owner={"a": None}, n=None)
    assert body_of(echo) == {"name": "Rex ✓", "owner": {"a": None}, "n": None}
    assert echo.last["headers"]["content-type"] == "application/vnd.pets+json"


def test_a_body_that_may_be_missing_is_left_out(document: Any, echo: Any) -> None:
    call(posting(document, echo, {"application/json": {"schema": FIELDS}}, required=False))
    assert (echo.last["body"], echo.last["headers"].get("content-type")) == ("", None)
    call(posting(document, echo, {"application/json": {"schema": FIELDS}}))
    assert echo.last["body"] == "{}"
    call(posting(document, echo, {"application/json": {"schema": {"type": "array"}}}, required=False))
    assert (echo.last["body"], echo.last["headers"].get("content-type")) == ("", None)


@pytest.mark.parametrize(
    ("parameter", "wrong"),
    [
        ({"in": "path", "style": "matrix"}, "is 'matrix'"),
        ({"in": "query", "style": "deepObject"}, "is 'deepObject'"),
        ({"in": "query", "content": {"application/json": {}}}, "has a media type"),
        ({"in": "cookie"}, "is a cookie"),
    ],
)
def test_parameters_that_are_not_written_are_refused_with_their_operation(
    document: Any, echo: Any, parameter: Any, wrong: str
) -> None:
    root = document({"/{color}": {"get": {"parameters": [{"name": "color", **parameter}]}}})
    said = rf"GET /\{{color\}}: the parameter 'color' {wrong}, which is not supported; choose other operations by only="
    with pytest.raises(DefinitionInvalid, match=said):
        openapi_tools(root, base_url=echo.url)


@pytest.mark.parametrize("media_type", ["application/x-www-form-urlencoded", "multipart/form-data", "text/csv"])
def test_bodies_other_than_json_are_refused_with_their_operation(document: Any, echo: Any, media_type: str) -> None:
    with pytest.raises(DefinitionInvalid, match=f"POST /pets: its body is {media_type}, which is not supported"):
        posting(document, echo, {media_type: {"schema": FIELDS}})


def test_parts_of_a_path_cannot_make_another_path_together(document: Any, echo: Any) -> None:
    tool = openapi_tools(document({"/pets/{a}{b}/x": {"get": {}}}), base_url=echo.url)[0]
    assert call(tool, a="a", b=".").is_error
    tool = openapi_tools(document({"/pets/.{a}/x": {"get": {}}}), base_url=echo.url)[0]
    assert call(tool, a="a").structured["path"] == "/pets/.a/x"
    assert call(tool, a=".").is_error


def test_arguments_are_held_against_the_schema_before_anything_is_sent(document: Any, echo: Any) -> None:
    result = call(posting(document, echo, {"application/json": {"schema": FIELDS}}), name=1, other=2)
    assert isinstance(result.exception, ArgumentsInvalid)
    assert echo.requests == []


def getting(document: Any, echo: Any, **more: Any) -> Any:
    return openapi_tools(document({"/pets": {"get": {}}}), base_url=echo.url, **more)[0]


def test_json_is_the_structured_result(document: Any, echo: Any) -> None:
    echo.answers.append(JSONResponse([1, None]))
    result = call(getting(document, echo))
    assert (result.structured, result.text, result.is_error) == ([1, None], "[1, null]", False)
    assert result.metadata == {"status": 200, "media_type": "application/json"}


def test_an_answer_that_is_no_json_though_it_says_so_is_an_error(document: Any, echo: Any) -> None:
    echo.answers.append(Response("{", media_type="application/json"))
    assert call(getting(document, echo)).text == "GET /pets answered with what is not JSON, as application/json"


def test_text_images_bytes_and_nothing_are_content(document: Any, echo: Any) -> None:
    echo.answers += [
        Response("gr\xfcn".encode("latin-1"), media_type="text/plain; charset=latin-1"),
        Response(b"\x89PNG", media_type="image/png"),
        Response(b"PK", media_type="application/zip"),
        Response(status_code=204),
        Response("ü".encode(), headers={"content-type": "text/plain; charset=klingon"}),
    ]
    tool = getting(document, echo)
    assert [call(tool).content for _ in range(5)] == [
        [TextContent("grün")],
        [ImageContent(b64encode(b"\x89PNG").decode(), "image/png")],
        [ResourceContent(f"{echo.url}/pets", "application/zip", blob=b64encode(b"PK").decode())],
        [],
        [TextContent("ü")],
    ]


def test_a_refusal_is_an_error_with_what_the_service_said(document: Any, echo: Any) -> None:
    problem = {"title": "No such pet", "status": 404}
    echo.answers += [
        JSONResponse(problem, 404, media_type="application/problem+json"),
        PlainTextResponse("x" * 5000, 500),
        Response(status_code=599),
    ]
    tool = getting(document, echo)
    first, second, third = (call(tool) for _ in range(3))
    assert (first.is_error, first.structured, first.metadata["status"]) == (True, problem, 404)
    assert first.text == 'GET /pets answered 404 Not Found: {"title":"No such pet","status":404}'
    assert second.text == f"GET /pets answered 500 Internal Server Error: {'x' * 4000}…"
    assert third.text == "GET /pets answered 599"


def test_an_answer_that_is_too_large_is_given_up(document: Any, echo: Any) -> None:
    async def long() -> Any:
        for _ in range(50):
            yield b"x" * 1000

    echo.answers.append(StreamingResponse(long()))
    result = call(getting(document, echo, max_bytes=10_000))
    assert (result.is_error, result.text) == (True, "the answer is larger than 10,000 bytes; ask for less")


def test_a_service_that_takes_too_long_is_given_up(document: Any, echo: Any) -> None:
    async def dripping() -> Any:
        for _ in range(40):
            yield b"x"
            await asyncio.sleep(0.05)

    echo.answers.append(StreamingResponse(dripping()))
    result = call(getting(document, echo, timeout_s=0.2))
    assert isinstance(result.exception, ToolTimedOut)
    assert result.text == "GET /pets took longer than 0.2 s"


def test_a_service_that_is_not_there_is_said(document: Any) -> None:
    tool = openapi_tools(document({"/pets": {"get": {}}}), base_url="http://127.0.0.1:1")[0]
    assert call(tool).text.startswith("GET /pets could not be sent to http://127.0.0.1:1: ConnectError")


def test_every_call_is_told_to_the_hooks_once(document: Any, echo: Any) -> None:
    echo.answers.append(PlainTextResponse("fine"))
    with capture() as captured:
        call(getting(document, echo))
    assert [(name, told.get("tool_name"), told.get("args")) for name, told in captured] == [
        ("before_tool_call", "get_pets", {}),
        ("after_tool_call", "get_pets", {}),
    ]


def test_base64_round_trips_through_an_image(document: Any, echo: Any) -> None:
    data = bytes(range(256))
    echo.answers.append(Response(data, media_type="image/gif"))
    assert b64decode(call(getting(document, echo)).content[0].data) == data
