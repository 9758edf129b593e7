"""Middleware around tool calls."""

from collections.abc import Sequence
from dataclasses import replace

from toolkit.content import as_content
from toolkit.middleware.chain import Chain, Change
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHook, ToolHookContext
from toolkit.middleware.handed import Handed
from toolkit.plain import own, plain
from toolkit.result import ToolResult


async def call_through(
    hooks: Sequence[ToolHook],
    context: ToolHookContext,
    args: ToolCallArgs,
    function: ToolCallFn,
    changes: list[Change] | None = None,
) -> ToolResult:
    """Call ``function`` with ``hooks`` around it, the first one outermost.

    The hooks get arguments of their own to change: the model's stay as it wrote them. ``changes`` receives what each
    hook did, in declared order.

    Raises:
        ToolkitError: A hook returned None.
    """
    handed = Handed()

    async def noted(args: ToolCallArgs) -> ToolResult:
        return handed.note(result_of(await function(args)))

    def accept(returned: object) -> ToolResult:
        return handed.note(handed.settled(result_of(returned)))

    chain: Chain[ToolHookContext, ToolCallArgs, ToolResult] = Chain(
        hooks=hooks,
        accept=accept,
        result="a ToolResult, text or a value for JSON",
        args_as_json=plain,
        result_as_json=ToolResult.snapshot,
    )
    return await chain.run(replace(context, original_tool_func=noted), own(args), noted, changes)


def result_of(value: object) -> ToolResult:
    """Return what a hook returned as a result, its content in our types whoever's it was."""
    result = ToolResult.of(value)
    return replace(result, content=[as_content(each) for each in result.content])
