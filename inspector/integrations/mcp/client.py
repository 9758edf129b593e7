"""The tools, resources and prompts that a client asks a server for.

Each is one call, however many requests it takes: ``tools/call`` and the like are sent inside, and merged into it.
"""

from collections.abc import Callable
from typing import Any, Final

from inspector.integrations.calls import Keywords, opened, safely
from inspector.integrations.mcp.server import is_served, plain
from inspector.integrations.patches import Wrapper
from inspector.record.calls.current import innermost
from instrument.keywords import Noun

ServerName = Callable[[Any], str | None]
Read = Callable[[Any], Keywords]

_NAMES: Final = {"tool_call": "name", "resource_fetch": "uri", "prompt_apply": "template"}


def call_tool(server_name: ServerName) -> Wrapper:
    """Report a tool call; ``server_name`` returns the name of the server of a session or client."""

    def before(client: Any, arguments: Keywords) -> Keywords:
        origin = {"tool_source": "mcp", "server_name": server_name(client)}
        return {"tool_name": arguments["name"], "args": arguments.get("arguments") or {}, "context": origin}

    return _around("tool_call", ("name", "arguments"), before, lambda result: {"result": plain(result)})


def read_resource(server_name: ServerName) -> Wrapper:
    """Report a resource that is read."""

    def before(client: Any, arguments: Keywords) -> Keywords:
        return {"uri": str(arguments["uri"]), "context": {"server_name": server_name(client)}}

    return _around("resource_fetch", ("uri",), before, _resource)


def get_prompt(server_name: ServerName) -> Wrapper:
    """Report a prompt template that is filled in."""

    def before(client: Any, arguments: Keywords) -> Keywords:
        context = {"server_name": server_name(client)}
        return {"template_id": arguments["name"], "parameters": arguments.get("arguments") or {}, "context": context}

    return _around("prompt_apply", ("name", "arguments"), before, _prompt)


def _around(noun: Noun, names: tuple[str, ...], before: Callable[[Any, Keywords], Keywords], after: Read) -> Wrapper:
    def wrapper(original: Callable[..., Any]) -> Callable[..., Any]:
        async def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
            arguments = dict(zip(names, args, strict=False)) | kwargs
            if safely(lambda: _is_reported(noun, arguments.get(names[0])), otherwise=False):
                return await original(self, *args, **kwargs)
            with opened(noun, lambda: before(self, arguments), emitter="mcp") as call:
                result = await original(self, *args, **kwargs)
            call.ended(lambda: after(result))
            return result

        return ask

    return wrapper


def _is_reported(noun: Noun, requested: object) -> bool:
    """Tell whether a framework, the program or an outer client has already reported this call."""
    span = innermost()
    if span is None or span.noun != noun or is_served(span.call_id):
        return False
    return _is_same(str(span.before.get(_NAMES[noun])), str(requested))


def _is_same(known: str, requested: str) -> bool:
    # Frameworks prefix the server's name: clock__now, clock-now, clock.now.
    if known == requested:
        return True
    return known.endswith(requested) and not known[: -len(requested)][-1:].isalnum() and requested != ""


def _resource(result: Any) -> Keywords:
    contents = list(result.contents)
    texts = [getattr(each, "text", None) for each in contents]
    first = contents[0] if contents else None
    mime_type = getattr(first, "mime_type", None) or getattr(first, "mimeType", None)
    if all(isinstance(text, str) for text in texts):
        return {"content": "\n".join(str(text) for text in texts), "mime_type": mime_type}
    return {"content": [plain(each) for each in contents], "mime_type": mime_type}


def _prompt(result: Any) -> Keywords:
    return {"rendered": [plain(each) for each in result.messages]}
