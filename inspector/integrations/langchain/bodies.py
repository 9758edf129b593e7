"""The bodies of tools and retrievers, inside LangChain's own code: the controller decides about these."""

from typing import Any

from inspector.integrations.calls import Call
from inspector.integrations.patches import Patches
from inspector.integrations.tool_bodies import Arguments, decided, decided_async


def wrap_bodies(patches: Patches) -> None:
    """Wrap the methods that tools and retrievers implement, in existing and future classes."""
    tools = {"_run": decided("langchain"), "_arun": decided_async("langchain")}
    retrievers = {
        "_get_relevant_documents": decided("langchain", _query),
        "_aget_relevant_documents": decided_async("langchain", _query),
    }
    patches.wrap_subclasses_once_imported("langchain_core.tools.base", "BaseTool", tools)
    patches.wrap_subclasses_once_imported("langchain_core.retrievers", "BaseRetriever", retrievers)


def _query(_: Call, args: tuple[Any, ...], kwargs: dict[str, Any], changed: Arguments) -> Any:
    return (changed["query"], *args[1:]), kwargs
