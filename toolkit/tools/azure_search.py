"""Searches an index of Azure AI Search."""

import asyncio
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolkitError, ToolTimedOut
from toolkit.extras import need
from toolkit.plain import member
from toolkit.result import ToolResult
from toolkit.tool_class import Tool

CREDENTIAL = "azure_search"
"""The name of the key in ``ToolContext.credentials``."""

_PURPOSE = "AzureAISearchTool"


class AzureAISearchTool(Tool):
    """A search in one index; the answer is ``{"count": …, "results": [{"score": …, "document": {…}}]}``.

    Args:
        endpoint: The service's address, ``https://<name>.search.windows.net``.
        index: The index.
        credential: A key, or an object with an asynchronous ``get_token``; by default the secret ``azure_search`` of
            the caller's context.
        options: What else the SDK's ``SearchClient.search`` takes, as ``{"filter": …, "select": […]}``, or a function
            that makes it of the query, for ``vector_queries``. Models cannot change it.
        top: How many documents a call gets at most, and if the model does not say.
        timeout_s: How long a call may take as a whole, the SDK's retries included.
    """

    def __init__(
        self,
        endpoint: str,
        index: str,
        credential: object = None,
        *,
        options: Mapping[str, Any] | Callable[[str], Mapping[str, Any]] = MappingProxyType({}),
        top: int = 5,
        timeout_s: float = 30.0,
    ) -> None:
        need("azure.search.documents", extra="azure", purpose=_PURPOSE)
        if not endpoint.startswith(("https://", "http://")):
            raise DefinitionInvalid(f"endpoint={endpoint!r}: expected https://<name>.search.windows.net")
        if top < 1:
            raise DefinitionInvalid(f"top={top}: expected at least 1")
        super().__init__(_definition(index, top))
        self._endpoint = endpoint
        self._index = index
        self._credential = credential
        self._options = options
        self._top = top
        self._timeout_s = timeout_s

    def __repr__(self) -> str:
        return f"AzureAISearchTool({self._endpoint!r}, {self._index!r})"

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Search."""
        arguments = call.arguments or {}
        exceptions: Any = need("azure.core.exceptions", extra="azure", purpose=_PURPOSE)
        failure = ToolkitError
        try:
            async with asyncio.timeout(self._timeout_s):
                count, documents = await self._search(
                    str(arguments["query"]), arguments.get("top", self._top), self._key(context)
                )
        except TimeoutError:
            failure, why = ToolTimedOut, f"Azure AI Search took longer than {self._timeout_s:g} s"
        except exceptions.HttpResponseError as error:
            words = member(error.error, "message") or error.message
            why = f"Azure AI Search answered {error.status_code} {error.reason} for {self._index!r}: {words}"
        except exceptions.AzureError as error:
            why = f"Azure AI Search at {self._endpoint} could not be asked: {error.message}"
        else:
            return ToolResult.of({"count": count, "results": list(map(_result, documents))})
        # Outside of the handlers: the SDK's errors hold the request with its key.
        raise failure(why)

    def _key(self, context: ToolContext) -> Any:
        credential = self._credential if self._credential is not None else context.credential(CREDENTIAL)
        if not isinstance(credential, str):
            return credential
        credentials: Any = need("azure.core.credentials", extra="azure", purpose=_PURPOSE)
        return credentials.AzureKeyCredential(credential)

    async def _search(self, query: str, top: int, credential: Any) -> tuple[int | None, list[dict[str, Any]]]:
        search: Any = need("azure.search.documents.aio", extra="azure", purpose=_PURPOSE)
        transports: Any = need("azure.core.pipeline.transport", extra="azure", purpose=_PURPOSE)
        # The SDK's own choice needs one more package. A request runs in a thread, which cannot be cancelled and so has
        # to end by itself.
        transport = transports.AsyncioRequestsTransport(
            connection_timeout=self._timeout_s, read_timeout=self._timeout_s
        )
        async with search.SearchClient(self._endpoint, self._index, credential, transport=transport) as client:
            options = self._options(query) if callable(self._options) else self._options
            asked: dict[str, Any] = {"search_text": query, "top": top, "include_total_count": True, **options}
            pages = await client.search(**asked)
            documents: list[dict[str, Any]] = []
            # A service may hand out fewer at a time than were asked for.
            async for document in pages:
                documents.append(document)
                if len(documents) == top:
                    break
            # Asked first, the SDK would send the query twice.
            return await pages.get_count(), documents


def _definition(index: str, top: int) -> ToolDefinition:
    return ToolDefinition(
        name=f"search_{index}",
        description=f"Search the documents of {index!r}.",
        input_schema={
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "description": "What to look for."},
                "top": {"type": "integer", "minimum": 1, "maximum": top, "description": "How many at most."},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    )


def _result(document: Mapping[str, Any]) -> dict[str, Any]:
    fields = {key: value for key, value in document.items() if not key.startswith("@search.")}
    return {"score": document.get("@search.score"), "document": fields}
