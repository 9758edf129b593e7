"""What an agent finds in its knowledge, as a tool call that the program makes, not the model."""

from inspect import iscoroutinefunction
from typing import Any

from inspector.integrations.calls import Call, Keywords, opened


def retrieved(original: Any) -> Any:
    """Report each question to a knowledge base."""

    def retrieve(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _opened(self, args, kwargs) as call:
            documents = original(self, *args, **kwargs)
        _finish(call, documents)
        return documents

    async def aretrieve(self: Any, *args: Any, **kwargs: Any) -> Any:
        with _opened(self, args, kwargs) as call:
            documents = await original(self, *args, **kwargs)
        _finish(call, documents)
        return documents

    return aretrieve if iscoroutinefunction(original) else retrieve


def _opened(knowledge: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    def describe() -> Keywords:
        asked = {"query": args[0] if args else kwargs["query"]}
        # It is asked again in a replay: documents hold the objects that embed them.
        return {"tool_name": knowledge.name or "Knowledge", "args": asked, "context": {"tool_source": "runtime"}}

    return opened("tool_call", describe, emitter="agno")


def _finish(call: Call, documents: Any) -> None:
    call.ended(lambda: {"result": [{"text": each.content, "metadata": each.meta_data} for each in documents or ()]})
