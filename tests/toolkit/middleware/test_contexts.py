from dataclasses import FrozenInstanceError, fields

import pytest

from toolkit.middleware.contexts import ToolHookContext


def test_the_context_of_a_tool_hook_has_these_fields_and_no_others(tool, call):
    seen = []

    async def note(ctx, args, call_next):
        seen.append(ctx)
        return await call_next(args)

    call(tool(), {"x": 1}, note)
    (context,) = seen
    assert [each.name for each in fields(ToolHookContext)] == [
        "agent_name",
        "server_name",
        "tool_name",
        "tool_source",
        "tool_use_id",
        "correlation_id",
        "original_tool_func",
        "call_id",
        "approver",
        "changes",
    ]
    with pytest.raises(FrozenInstanceError):
        context.tool_name = "other"
