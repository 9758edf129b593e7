"""Composio's tools as ours."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition, ToolSource
from toolkit.errors import DefinitionInvalid
from toolkit.extras import need
from toolkit.functions.callables import in_thread
from toolkit.plain import member, plain
from toolkit.result import ToolResult
from toolkit.tool_class import Tool


class ComposioTools:
    """Tools of Composio's toolkits, for a ``ToolNode`` or to be awaited: ``await ComposioTools(…).tools()``.

    They are listed once, by the ``Composio`` client given, and called in a thread each; a call that is cancelled goes
    on at Composio. What the client tells Composio's own telemetry of its other calls, it does not of these.

    Args:
        client: A ``composio.Composio``, with its key and base URL.
        user_id: Whose connected accounts are used; or says it for each call, so that one set of tools serves many.
        toolkits: Slugs of whole toolkits, for example ``["github"]``.
        tools: Slugs of single tools, for example ``["GITHUB_CREATE_AN_ISSUE"]``.
        limit: How many tools are listed; None for Composio's own limit.
    """

    def __init__(
        self,
        client: Any,
        *,
        user_id: str | Callable[[ToolContext], str],
        toolkits: Sequence[str] | None = None,
        tools: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> None:
        filters = {"toolkits": toolkits, "tools": tools}
        self._filters: dict[str, Any] = {key: list(value) for key, value in filters.items() if value is not None}
        if not self._filters:
            raise DefinitionInvalid("ComposioTools needs toolkits=[…] or tools=[…]; Composio has thousands")
        if limit is not None:
            self._filters["limit"] = limit
        self._client = client
        self._user_id = user_id
        self._tools: list[Tool] | None = None

    async def tools(self) -> list[Tool]:
        """Return the tools, as they were when they were first asked for."""
        if self._tools is None:
            listed = await _off_the_loop(self._client.tools.get_raw_composio_tools, **self._filters)
            self._tools = [_ComposioTool(self._client, tool, self._user_id) for tool in listed]
        return self._tools


class _ComposioTool(Tool):
    source: ClassVar[ToolSource] = "runtime"

    def __init__(self, client: Any, listed: Any, user_id: str | Callable[[ToolContext], str]) -> None:
        schema = plain(member(listed, "input_parameters") or {})
        definition = ToolDefinition(
            name=listed.slug,
            description=member(listed, "description") or "",
            input_schema={"type": "object", "properties": {}} | schema,
            version=member(listed, "version") or "",
        )
        super().__init__(definition)
        self._client = client
        self._user_id = user_id

    @property
    def server_name(self) -> str:
        """Composio."""
        return "composio"

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Have Composio do it, in the version that was listed."""
        user_id = self._user_id if isinstance(self._user_id, str) else self._user_id(context)
        version = self.definition.version
        answer: Mapping[str, Any] = await _off_the_loop(
            self._client.tools.execute,
            self.name,
            call.arguments or {},
            user_id=user_id,
            **({"version": version} if version else {"dangerously_skip_version_check": True}),
        )
        data = plain(answer.get("data"))
        if answer.get("successful"):
            return ToolResult.of(data)
        why = answer.get("error") or "Composio reported a failure without a reason"
        return ToolResult.error(str(why), **({"data": data} if data else {}))


async def _off_the_loop(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    tracking = need("composio.core.models.base", extra="composio", purpose="ComposioTools").allow_tracking

    def quietly() -> Any:
        # In the thread's own copy of the context, so that only this call goes without Composio's telemetry.
        tracking.set(False)
        return function(*args, **kwargs)

    return await in_thread(quietly)
