"""A search in an index, over a stand-in of the service's REST API."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from azure.search.documents.models import VectorizableTextQuery
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from instrument.testing import capture
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ExtraMissing, ToolTimedOut
from toolkit.tools.azure_search import AzureAISearchTool

KEY = "an-admin-key-of-the-tests"
FOUND = {
    "@odata.count": 12,
    "value": [
        {"@search.score": 2.5, "id": "1", "title": "Zebra"},
        {"@search.score": 1.0, "id": "2", "title": "Horse"},
    ],
}


@dataclass
class Service:
    url: str = ""
    answers: list[Response] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture(scope="module")
def shared_service(serve: Any) -> Iterator[Service]:
    service = Service()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        service.requests.append(
            {
                "path": f"{request.method} {request.url.path}",
                "key": request.headers.get("api-key"),
                "authorization": request.headers.get("authorization"),
                "body": json.loads(await request.body()),
            }
        )
        answer = service.answers.pop(0) if service.answers else JSONResponse(FOUND)
        await answer(scope, receive, send)

    with serve(app) as url:
        service.url = url
        yield service


@pytest.fixture
def service(shared_service: Service) -> Service:
    shared_service.answers.clear()
    shared_service.requests.clear()
    return shared_service


def call(tool: AzureAISearchTool, context: ToolContext | None = None, **arguments: Any) -> Any:
    async def bounded() -> Any:
        async with asyncio.timeout(20):
            return await tool(arguments, context)

    return asyncio.run(bounded())


def test_documents_are_found_by_words(service: Service) -> None:
    tool = AzureAISearchTool(
        service.url,
        "animals",
        KEY,
        options={"select": ["id", "title"], "filter": "year gt 2000"},
        top=2,
    )
    result = call(tool, query="striped")

    assert service.requests == [
        {
            "path": "POST /indexes('animals')/docs/search.post.search",
            "key": KEY,
            "authorization": None,
            "body": {
                "search": "striped",
                "top": 2,
                "count": True,
                "filter": "year gt 2000",
                "select": "id,title",
            },
        }
    ]
    assert result.structured == {
        "count": 12,
        "results": [
            {"score": 2.5, "document": {"id": "1", "title": "Zebra"}},
            {"score": 1.0, "document": {"id": "2", "title": "Horse"}},
        ],
    }
    assert json.loads(result.text) == result.structured


def by_vector(query: str) -> dict[str, Any]:
    return {"search_text": None, "vector_queries": [VectorizableTextQuery(text=query, fields="v,w")]}


def by_both(query: str) -> dict[str, Any]:
    return {"vector_queries": [VectorizableTextQuery(text=query, k_nearest_neighbors=5, fields="v")]}


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"query_type": "semantic"}, {"search": "ab", "queryType": "semantic"}),
        (by_vector, {"vectorQueries": [{"kind": "text", "text": "ab", "fields": "v,w"}]}),
        (by_both, {"search": "ab", "vectorQueries": [{"kind": "text", "text": "ab", "k": 5, "fields": "v"}]}),
    ],
)
def test_each_kind_of_query_asks_what_the_service_expects(service: Service, options: Any, asked: Any) -> None:
    call(AzureAISearchTool(service.url, "animals", KEY, options=options), query="ab")
    assert service.requests[0]["body"] == {**asked, "top": 5, "count": True}


def test_a_service_that_hands_out_pages_is_asked_until_there_are_enough(service: Service) -> None:
    def page(start: int, **more: Any) -> Response:
        return JSONResponse({"value": [{"id": str(start)}, {"id": str(start + 1)}], **more})

    rest = {"@odata.nextLink": f"{service.url}/next", "@search.nextPageParameters": {"search": "ab", "skip": 2}}
    service.answers += [page(1, **rest), page(3, **rest), page(5)]
    result = call(AzureAISearchTool(service.url, "animals", KEY, top=3), query="ab")
    assert [each["document"]["id"] for each in result.structured["results"]] == ["1", "2", "3"]
    assert len(service.requests) == 2


def test_the_model_asks_for_fewer_and_never_for_more(service: Service) -> None:
    tool = AzureAISearchTool(service.url, "animals", KEY, top=3)
    assert call(tool, query="ab", top=4).is_error
    assert service.requests == []
    assert len(call(tool, query="ab", top=1).structured["results"]) == 1
    assert service.requests[0]["body"]["top"] == 1


def test_a_key_of_the_context_is_used_where_none_was_given(service: Service) -> None:
    tool = AzureAISearchTool(service.url, "animals")
    call(tool, ToolContext(credentials={"azure_search": KEY}), query="ab")
    assert service.requests[0]["key"] == KEY
    assert "no credential 'azure_search'" in str(call(tool, query="ab").exception)


class Credential:
    """A token, which the SDK refuses to send without TLS."""

    async def get_token(self, *scopes: str, **more: Any) -> Any:
        raise AssertionError(scopes)


def test_a_token_is_not_sent_without_tls(service: Service) -> None:
    result = call(AzureAISearchTool(service.url, "animals", Credential()), query="ab")
    assert "not permitted for non-TLS protected" in result.text
    assert service.requests == []


def test_a_key_is_in_no_hook_error_or_representation(service: Service) -> None:
    service.answers += [JSONResponse({"error": {"code": "Forbidden", "message": "no such right"}}, 403)]
    tool = AzureAISearchTool(service.url, "animals", KEY)
    with capture() as captured:
        result = call(tool, query="ab")
    assert result.text == "Azure AI Search answered 403 Forbidden for 'animals': no such right"
    assert KEY not in repr([captured, result, result.exception, result.exception.__context__, tool])


def test_an_index_that_is_not_there_and_a_wrong_key_are_said(service: Service) -> None:
    service.answers += [
        JSONResponse({"error": {"code": "", "message": "The index 'animals' was not found."}}, 404),
        Response(status_code=401),
    ]
    tool = AzureAISearchTool(service.url, "animals", KEY)
    assert call(tool, query="ab").text == (
        "Azure AI Search answered 404 Not Found for 'animals': The index 'animals' was not found."
    )
    assert call(tool, query="ab").text.startswith("Azure AI Search answered 401 Unauthorized for 'animals'")


def test_a_service_that_cannot_be_reached_is_said() -> None:
    result = call(AzureAISearchTool("http://127.0.0.1:1", "animals", KEY), query="ab")
    assert result.text.startswith("Azure AI Search at http://127.0.0.1:1 could not be asked: ")


def test_a_service_that_takes_too_long_is_given_up(service: Service) -> None:
    async def dripping() -> Any:
        for _ in range(20):
            yield b" "
            await asyncio.sleep(0.05)

    service.answers.append(StreamingResponse(dripping()))
    result = call(AzureAISearchTool(service.url, "animals", KEY, timeout_s=0.2), query="ab")
    assert isinstance(result.exception, ToolTimedOut)
    assert result.text == "Azure AI Search took longer than 0.2 s"


def test_a_call_gets_at_least_one_document() -> None:
    with pytest.raises(DefinitionInvalid, match="top=0: expected at least 1"):
        AzureAISearchTool("https://x.search.windows.net", "animals", KEY, top=0)


def test_an_option_that_is_not_there_is_refused() -> None:
    with pytest.raises(DefinitionInvalid, match="AzureAISearchTool takes no 'topp'; did you mean 'top'?"):
        AzureAISearchTool("https://x.search.windows.net", "animals", KEY, topp=3)  # type: ignore[call-arg]


def test_an_address_is_needed() -> None:
    with pytest.raises(DefinitionInvalid, match=r"expected https://<name>\.search\.windows\.net"):
        AzureAISearchTool("x.search.windows.net", "animals", KEY)


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "azure.search.documents", None)
    with pytest.raises(ExtraMissing, match=r"pip install 'mcp-agent-inspector\[azure\]'"):
        AzureAISearchTool("https://x.search.windows.net", "animals", KEY)
