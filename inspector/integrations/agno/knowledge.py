"""What an agent finds in its knowledge, as a tool call that the program makes, not the model."""

from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, opened
from inspector.integrations.methods import reported


def _opened(knowledge: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    def describe() -> Keywords:
        asked = {"query": args[0] if args else kwargs["query"]}
        # It is asked again in a replay: documents hold the objects that embed them.
        return {"tool_name": knowledge.name or "Knowledge", "args": asked, "context": {"tool_source": "runtime"}}

    return opened("tool_call", describe, emitter="agno")


def _found(documents: Any) -> Keywords:
    return {"result": [{"text": each.content, "metadata": each.meta_data} for each in documents or ()]}


retrieved: Final = reported(_opened, _found)
"""Reports each question to a knowledge base."""
