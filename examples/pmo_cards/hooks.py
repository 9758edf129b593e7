"""The middleware of the cards beside it."""

from mcp.types import CallToolResult

from toolkit.content import text_content


async def audit_hook(ctx, args, call_next):  # noqa: ANN001, ANN201 - as short as a middleware can be written
    """Limit one tool, block another, and leave a mark on every result."""
    # before: enforce limits
    if ctx.tool_name.endswith("add_one"):
        args = dict(args or {})
        args["x"] = min(int(args.get("x", 0)), 10)

    # instead: block unsafe tools
    if ctx.tool_source == "runtime" and ctx.tool_name == "shell.execute":
        return CallToolResult(isError=True, content=[text_content("blocked")])

    # call original tool
    result = await call_next(args)

    # after: log or modify result
    result.content.append(text_content("[audit]"))
    return result
