"""Searches an index of Azure AI Search."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, cast

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolkitError, ToolTimedOut, require_known
from toolkit.extras import need
from toolkit.result import ToolResult
from toolkit.tool_class import Tool, arguments_of

QueryType = Literal["keyword", "semantic", "vector", "hybrid"]
"""By words, by words and then ranked by meaning, by closeness of vectors, or by both words and vectors."""

Embed = Callable[[str], Awaitable[Sequence[float]]]
"""Makes a vector of a text."""

CREDENTIAL = "azure_search"
"""The name of the key in ``ToolContext.credentials``."""

_PURPOSE = "AzureAISearchTool"
_TIMEOUT_S = 30.0
_SCORES = {"@search.score": "score", "@search.reranker_score": "reranker_score"}


class SearchOptions(TypedDict, total=False):
    """What can be said about the search beside where it is."""

    name: str
    """The tool's name, by default ``search_<index>``."""
    description: str
    query_type: QueryType
    """By default ``keyword``."""
    select: Sequence[str]
    """The fields wanted; by default all that the index gives out."""
    top: int
    """How many documents a call gets at most, and if the model does not say; by default 5."""
    filter: str
    """An OData expression that every document has to fit; models cannot change it."""
    vector_fields: Sequence[str]
    """The fields that hold vectors: searched by ``vector`` and ``hybrid``, left out of results."""
    embed: Embed
    """Makes the query's vector; by default the index's own vectorizer does."""
    semantic_configuration: str
    """What ``semantic`` ranks by; the index's default where it has one."""
    timeout_s: float
    """How long a call may take as a whole, the SDK's retries included; by default 30."""


class AzureAISearchTool(Tool):
    """A search in one index; the answer is ``{"count": …, "results": [{"score": …, "document": {…}}]}``.

    Args:
        endpoint: The service's address, ``https://<name>.search.windows.net``.
        index: The index.
        credential: A key, or an object with an asynchronous ``get_token``; by default the secret ``azure_search`` of
            the caller's context.
        options: See ``SearchOptions``.

    Raises:
        DefinitionInvalid: An option is unknown, the options contradict each other, or the address is none.
        ExtraMissing: ``azure-search-documents`` is not installed.
    """

    def __init__(self, endpoint: str, index: str, credential: object = None, **options: Unpack[SearchOptions]) -> None:
        need("azure.search.documents", extra="azure", purpose=_PURPOSE)
        if not endpoint.startswith(("https://", "http://")):
            raise DefinitionInvalid(f"endpoint={endpoint!r}: expected https://<name>.search.windows.net")
        require_known(options, SearchOptions.__annotations__, "AzureAISearchTool")
        self._endpoint = endpoint
        self._index = index
        self._credential = credential
        self._options = options
        self._query_type = options.get("query_type", "keyword")
        self._top = options.get("top", 5)
        if self._query_type not in ("keyword", "semantic", "vector", "hybrid"):
            raise DefinitionInvalid(f"query_type={self._query_type!r}: expected keyword, semantic, vector or hybrid")
        if self._query_type in ("vector", "hybrid") and not options.get("vector_fields"):
            raise DefinitionInvalid(f"query_type={self._query_type!r} needs vector_fields=[…]")
        if self._top < 1:
            raise DefinitionInvalid(f"top={self._top}: expected at least 1")
        super().__init__(_definition(index, self._top, options))

    def __repr__(self) -> str:
        return f"AzureAISearchTool({self._endpoint!r}, {self._index!r})"

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Search."""
        arguments = arguments_of(call)
        exceptions: Any = need("azure.core.exceptions", extra="azure", purpose=_PURPOSE)
        timeout_s = self._options.get("timeout_s", _TIMEOUT_S)
        failure = ToolkitError
        try:
            async with asyncio.timeout(timeout_s):
                count, documents = await self._search(arguments, self._key(context))
        except TimeoutError:
            failure, why = ToolTimedOut, f"Azure AI Search took longer than {timeout_s:g} s"
        except exceptions.HttpResponseError as error:
            why = f"Azure AI Search answered {error.status_code} {error.reason} for {self._index!r}: {_message(error)}"
        except exceptions.AzureError as error:
            why = f"Azure AI Search at {self._endpoint} could not be asked: {error.message}"
        else:
            return ToolResult.of({"count": count, "results": [self._result(document) for document in documents]})
        # Outside of the handlers: the SDK's errors hold the request with its key.
        raise failure(why)

    def _key(self, context: ToolContext) -> Any:
        credential = self._credential if self._credential is not None else context.credential(CREDENTIAL)
        if not isinstance(credential, str):
            return credential
        credentials: Any = need("azure.core.credentials", extra="azure", purpose=_PURPOSE)
        return credentials.AzureKeyCredential(credential)

    async def _search(self, arguments: Mapping[str, Any], credential: Any) -> tuple[int | None, list[dict[str, Any]]]:
        search: Any = need("azure.search.documents.aio", extra="azure", purpose=_PURPOSE)
        top = arguments.get("top", self._top)
        transports: Any = need("azure.core.pipeline.transport", extra="azure", purpose=_PURPOSE)
        timeout_s = self._options.get("timeout_s", _TIMEOUT_S)
        # The SDK's own choice needs one more package. A request runs in a thread, which cannot be cancelled and so has
        # to end by itself.
        transport = transports.AsyncioRequestsTransport(connection_timeout=timeout_s, read_timeout=timeout_s)
        async with search.SearchClient(self._endpoint, self._index, credential, transport=transport) as client:
            pages = await client.search(**await self._query(str(arguments["query"]), top))
            documents: list[dict[str, Any]] = []
            # A service may hand out fewer at a time than were asked for.
            async for document in pages:
                documents.append(document)
                if len(documents) == top:
                    break
            # Asked first, the SDK would send the query twice.
            return await pages.get_count(), documents

    async def _query(self, query: str, top: int) -> dict[str, Any]:
        options, kind = self._options, self._query_type
        asked: dict[str, Any] = {
            "search_text": None if kind == "vector" else query,
            "top": top,
            "include_total_count": True,
            "filter": options.get("filter"),
            "select": list(options["select"]) if "select" in options else None,
        }
        if kind == "semantic":
            name = options.get("semantic_configuration")
            asked |= {"query_type": kind, "query_caption": "extractive", "semantic_configuration_name": name}
        if kind in ("vector", "hybrid"):
            asked["vector_queries"] = [await self._vector_query(query, top)]
        return asked

    async def _vector_query(self, query: str, top: int) -> Any:
        models: Any = need("azure.search.documents.models", extra="azure", purpose=_PURPOSE)
        fields = ",".join(self._options.get("vector_fields", ()))
        embed = self._options.get("embed")
        if embed is None:
            return models.VectorizableTextQuery(text=query, k_nearest_neighbors=top, fields=fields)
        return models.VectorizedQuery(vector=list(await embed(query)), k_nearest_neighbors=top, fields=fields)

    def _result(self, document: Mapping[str, Any]) -> dict[str, Any]:
        hidden = self._options.get("vector_fields", ())
        result: dict[str, Any] = {name: document[key] for key, name in _SCORES.items() if document.get(key) is not None}
        captions = [caption.text for caption in cast("list[Any]", document.get("@search.captions") or [])]
        if captions:
            result["captions"] = captions
        result["document"] = {
            key: value for key, value in document.items() if not key.startswith("@search.") and key not in hidden
        }
        return result


def _definition(index: str, top: int, options: SearchOptions) -> ToolDefinition:
    return ToolDefinition(
        name=options.get("name", f"search_{index}"),
        description=options.get("description", f"Search the documents of {index!r}."),
        input_schema={
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "description": "What to look for."},
                "top": {"type": "integer", "minimum": 1, "maximum": top, "description": "How many at most."},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
        output_schema={
            "type": "object",
            "properties": {
                "count": {"type": ["integer", "null"], "description": "How many fit, beside those given."},
                "results": {"type": "array", "items": {"type": "object", "required": ["document"]}},
            },
            "required": ["results"],
        },
    )


def _message(error: Any) -> str:
    inner = getattr(error, "error", None)
    return str(getattr(inner, "message", None) or error.message)
