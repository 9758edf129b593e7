"""What a tool or a retriever does itself, inside of what LangChain makes of it: what the controller decides about."""

from collections.abc import Callable
from typing import Any

from inspector.integrations.calls import Call
from inspector.integrations.patches import Patches
from inspector.integrations.tool_bodies import Arguments, run_body, run_body_async, undecided

_Applied = Callable[[Call, tuple[Any, ...], dict[str, Any], Arguments], tuple[tuple[Any, ...], dict[str, Any]]]


def wrap_bodies(patches: Patches) -> None:
    """Wrap the methods that tools and retrievers implement, in each class there is and is to come."""
    for module, owner, names, applied in (
        ("langchain_core.tools.base", "BaseTool", ("_run", "_arun"), _tool_arguments),
        (
            "langchain_core.retrievers",
            "BaseRetriever",
            ("_get_relevant_documents", "_aget_relevant_documents"),
            _retriever_arguments,
        ),
    ):
        _wrap_later(patches, module, owner, names, applied)


def _wrap_later(patches: Patches, module: str, owner: str, names: tuple[str, str], applied: _Applied) -> None:
    wrappers = {
        names[0]: lambda original: _made(original, applied),
        names[1]: lambda original: _made_async(original, applied),
    }
    patches.once_imported(module, lambda found: patches.wrap_in_subclasses(getattr(found, owner), wrappers))


def _made(original: Any, applied: _Applied) -> Any:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        call = undecided("langchain")
        if call is None:
            return original(self, *args, **kwargs)

        def body(changed: Arguments | None) -> Any:
            given = (args, kwargs) if changed is None else applied(call, args, kwargs, changed)
            return original(self, *given[0], **given[1])

        return run_body(call, body, subject=self)

    return run


def _made_async(original: Any, applied: _Applied) -> Any:
    async def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        call = undecided("langchain")
        if call is None:
            return await original(self, *args, **kwargs)

        def body(changed: Arguments | None) -> Any:
            given = (args, kwargs) if changed is None else applied(call, args, kwargs, changed)
            return original(self, *given[0], **given[1])

        return await run_body_async(call, body, subject=self)

    return run


def _tool_arguments(call: Call, args: tuple[Any, ...], kwargs: dict[str, Any], changed: Arguments) -> Any:
    asked = call.keyword("args")
    if args or not isinstance(asked, dict):
        # A tool of one text, which LangChain passes by place.
        return tuple(changed.values()), kwargs
    # Beside them are those that are injected.
    return args, {name: value for name, value in kwargs.items() if name not in asked} | dict(changed)


def _retriever_arguments(_: Call, args: tuple[Any, ...], kwargs: dict[str, Any], changed: Arguments) -> Any:
    return (changed["query"], *args[1:]), kwargs
