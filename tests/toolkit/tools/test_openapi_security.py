import asyncio
import json
from base64 import b64encode
from typing import Any
from urllib.parse import parse_qsl

import pytest
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from instrument.testing import capture
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid
from toolkit.tools.openapi import openapi_tools

SECRET = "s3cret/with+signs=="


def call(tool: Any, context: ToolContext | None = None, **arguments: Any) -> Any:
    async def bounded() -> Any:
        async with asyncio.timeout(10):
            return await tool(arguments, context)

    return asyncio.run(bounded())


SCHEMES = {
    "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "api key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "oauth": {"type": "oauth2", "flows": {}},
    "tls": {"type": "mutualTLS"},
}


def secured(document: Any, echo: Any, security: Any, **more: Any) -> Any:
    root = document(
        {"/pets": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {}}]}}},
        security=security,
        components={"securitySchemes": SCHEMES},
    )
    return openapi_tools(root, base_url=echo.url, **more)[0]


@pytest.mark.parametrize(
    ("scheme", "sent"),
    [
        ("header", ("x-key", SECRET)),
        ("bearer", ("authorization", f"Bearer {SECRET}")),
        ("oauth", ("authorization", f"Bearer {SECRET}")),
        ("basic", ("authorization", f"Basic {b64encode(SECRET.encode()).decode()}")),
    ],
)
@pytest.mark.parametrize("given", ["auth", "context"])
def test_a_credential_goes_where_its_scheme_says(document: Any, echo: Any, scheme: str, sent: Any, given: str) -> None:
    secrets = {scheme: SECRET}
    tool = secured(document, echo, [{scheme: []}], auth=secrets if given == "auth" else None)
    call(tool, ToolContext(credentials=secrets if given == "context" else {}), q="x")
    assert echo.last["headers"][sent[0]] == sent[1]
    assert echo.last["query"] == "q=x"


def test_a_key_in_the_query_is_encoded_and_not_told_again(document: Any, echo: Any) -> None:
    echo.answers += [Response(b"PK", media_type="application/zip")]
    tool = secured(document, echo, [{"query": []}], auth={"query": SECRET})
    result = call(tool, q="x")
    assert parse_qsl(echo.last["query"]) == [("q", "x"), ("api key", SECRET)]
    assert result.content[0].uri == f"{echo.url}/pets?q=x"


@pytest.mark.parametrize(
    ("security", "credentials", "sent"),
    [
        ([{"header": [], "query": []}, {"bearer": []}], {"bearer": "token-b"}, {"authorization"}),
        ([{"header": [], "basic": []}, {"bearer": []}], {"header": "k", "basic": "a:b"}, {"x-key", "authorization"}),
        ([{"header": [], "basic": []}, {"bearer": []}], {"header": "k", "bearer": "token-b"}, {"authorization"}),
        ([{"cookie": []}, {"bearer": []}], {"cookie": "x", "bearer": "token-b"}, {"authorization"}),
        ([{}, {"bearer": []}], {"bearer": "token-b"}, {"authorization"}),
        ([{}, {"bearer": []}], {}, set()),
        ([], {"bearer": "token-b"}, set()),
        ([{"tls": []}, {"bearer": []}], {"tls": "x", "bearer": "token-b"}, {"authorization"}),
    ],
)
def test_the_first_requirement_that_can_be_met_is(
    document: Any, echo: Any, security: Any, credentials: Any, sent: set[str]
) -> None:
    call(secured(document, echo, security), ToolContext(credentials=credentials))
    assert echo.last["headers"].keys() & {"authorization", "x-key", "cookie"} == sent


def test_without_a_credential_nothing_is_sent_and_it_is_said_which_are_missing(document: Any, echo: Any) -> None:
    result = call(secured(document, echo, [{"header": [], "query": []}, {"bearer": []}]))
    assert result.text == (
        "no credential for 'header' and 'query' or 'bearer'; pass it as auth=… or ToolContext(credentials=…)"
    )
    assert echo.requests == []


def test_auth_for_a_scheme_that_is_not_there_is_refused(document: Any, echo: Any) -> None:
    with pytest.raises(DefinitionInvalid, match="no security scheme 'berer' in the document; there are: 'header'"):
        secured(document, echo, [], auth={"berer": SECRET})


def test_auth_that_is_one_text_is_refused_without_showing_it(document: Any, echo: Any) -> None:
    with pytest.raises(DefinitionInvalid) as told:
        secured(document, echo, [], auth=SECRET)
    assert str(told.value).startswith("auth is one text; expected a mapping by security scheme, of ['header'")
    assert SECRET not in str(told.value)


def test_a_credential_that_would_break_a_header_is_refused_without_showing_it(document: Any, echo: Any) -> None:
    result = call(secured(document, echo, [{"header": []}], auth={"header": f"{SECRET}\r\nX: y"}))
    assert result.is_error
    assert SECRET not in result.text
    assert echo.requests == []


@pytest.mark.parametrize("scheme", ["header", "query", "bearer", "basic"])
def test_no_secret_is_in_hooks_results_errors_or_representations(document: Any, echo: Any, scheme: str) -> None:
    secret = f"me:{SECRET}" if scheme == "basic" else SECRET
    tool = secured(document, echo, [{scheme: []}], auth={scheme: secret}, headers={"X-Api-Token": "static-token"})

    async def all_ways() -> list[Any]:
        # The echo tells every header, in its answer and in a refusal's; and then it is gone.
        results = [await tool({"q": "x"})]
        echo.answers.append(PlainTextResponse(json.dumps(echo.last), 403))
        return [*results, await tool({"q": "x"})]

    with capture() as captured:
        results = asyncio.run(all_ways())
    lost = openapi_tools(
        {
            "openapi": "3.1.0",
            "paths": {"/pets": {"get": {"security": [{scheme: []}]}}},
            "components": {"securitySchemes": SCHEMES},
        },
        base_url="http://127.0.0.1:1",
        auth={scheme: secret},
    )[0]
    results.append(call(lost))

    told = repr([captured, results, tool, vars(tool), [each.snapshot() for each in results]])
    told += repr([(each.exception, each.exception and each.exception.__context__) for each in results])
    assert echo.last["headers"]["x-api-token"] == "static-token"
    hidden = [SECRET, b64encode(secret.encode()).decode(), "s3cret%2Fwith", "static-token"]
    assert [each for each in hidden if each in told] == []
    assert "[hidden]" in told


@pytest.mark.parametrize("status", [200, 403])
@pytest.mark.parametrize(
    ("secret", "written"),
    [
        ('sec"ret\\12345', json.dumps('sec"ret\\12345')),
        ("YWJj/ZGVm==", '"YWJj\\/ZGVm=="'),
        ("pässword", '"p\\u00e4ssword"'),
        ("s3cret", '"\\u0073\\u0033cret"'),
        ("123456789", "123456789"),
    ],
)
def test_a_secret_is_hidden_however_json_writes_it(
    document: Any, echo: Any, secret: str, written: str, status: int
) -> None:
    tool = secured(document, echo, [{"header": []}], auth={"header": secret})
    echo.answers.append(Response(f'{{"echo": {written}}}', status, media_type="application/json"))
    result = call(tool)
    assert result.structured == {"echo": "[hidden]"}
    assert secret not in result.text
    if not written.startswith('"\\u'):
        assert "[hidden]" in result.text


def test_a_model_cannot_say_twice_what_the_application_says_once(document: Any, echo: Any) -> None:
    parameter = {"name": "x-tenant", "in": "header", "schema": {"type": "string"}}
    root = document({"/pets": {"get": {"parameters": [parameter]}}})
    tool = openapi_tools(root, base_url=echo.url, headers={"X-Tenant": "ours"})[0]
    call(tool, **{"x-tenant": "theirs"})
    assert echo.last["headers"]["x-tenant"] == "ours"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("to", ["/cats", "http://127.0.0.1:9/cats"])
def test_a_redirect_is_not_followed_and_told(document: Any, echo: Any, status: int, to: str) -> None:
    echo.answers.append(RedirectResponse(to, status))
    result = call(secured(document, echo, [{"header": []}], auth={"header": SECRET}))
    assert len(echo.requests) == 1
    assert result.is_error
    assert result.text.endswith(f": redirects are not followed, and it leads to {to}")
