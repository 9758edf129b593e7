"""llama-index-core: workflows and agents, tools, retrievers, query and chat engines, and models of the program.

Its dispatcher (``llama_index_instrumentation``) calls span handlers in the task of each run and each step, so a handler
reports those. It cannot change a call, and takes a stream to be over when it begins, so functions are wrapped for the
rest:

- ``call``, ``acall`` and ``__call__`` of tools, and ``_retrieve`` and ``_aretrieve`` of retrievers, about which a
  controller decides.
- ``query`` and ``aquery`` of query engines, ``chat`` and ``achat`` of chat engines, which are workflows.
- The methods of models that the program wrote itself: subclasses of ``CustomLLM``, and those outside of the packages of
  LlamaIndex. All others call a model by an SDK or over HTTP, and are recorded there.
- ``InternalContext.wait_for_event``, since a step that waits is run again, and its span does not tell.
"""

from typing import Any

from inspector.integrations.llama_index.engines import asked
from inspector.integrations.llama_index.models import wrap_models
from inspector.integrations.llama_index.runs import listen, waiting
from inspector.integrations.llama_index.tools import called, retrieved
from inspector.integrations.patches import Patches

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Listen to the dispatcher, and wrap what it does not cover."""
    patches.once_imported("llama_index_instrumentation", lambda module: listen(patches, module))
    waits = {"wait_for_event": waiting}
    patches.wrap_once_imported("workflows.context.internal_context", "InternalContext", waits)
    patches.once_imported("llama_index.core.tools.types", lambda module: _wrap_tools(patches, module))
    bodies = {"_retrieve": retrieved, "_aretrieve": retrieved}
    patches.once_imported(
        "llama_index.core.base.base_retriever",
        lambda module: patches.wrap_in_subclasses(module.BaseRetriever, bodies),
    )
    asks = {"query": asked, "aquery": asked}
    patches.wrap_once_imported("llama_index.core.base.base_query_engine", "BaseQueryEngine", asks)
    chats = {"chat": asked, "achat": asked}
    patches.once_imported(
        "llama_index.core.chat_engine.types",
        lambda module: patches.wrap_in_subclasses(module.BaseChatEngine, chats),
    )
    patches.once_imported("llama_index.core.llms.llm", lambda module: wrap_models(patches, module.LLM))


def _wrap_tools(patches: Patches, module: Any) -> None:
    patches.wrap_in_subclasses(module.BaseTool, {"__call__": called}, unless=("AsyncBaseTool",))
    both = {"call": called, "acall": called}
    # The adapter calls a tool that is reported.
    patches.wrap_in_subclasses(module.AsyncBaseTool, both, unless=("BaseToolAsyncAdapter",))
