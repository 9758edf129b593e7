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

from inspector.integrations.classes import inherits
from inspector.integrations.llama_index.engines import asked
from inspector.integrations.llama_index.models import METHODS, asks_client
from inspector.integrations.llama_index.runs import listen, waiting
from inspector.integrations.llama_index.tools import called, retrieved
from inspector.integrations.patches import Patches

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Listen to the dispatcher, and wrap what it does not cover."""
    patches.once_imported("llama_index_instrumentation", lambda module: listen(patches, module))
    waits = {"wait_for_event": waiting}
    patches.wrap_once_imported("workflows.context.internal_context", "InternalContext", waits)
    asks = {"query": asked, "aquery": asked}
    patches.wrap_once_imported("llama_index.core.base.base_query_engine", "BaseQueryEngine", asks)
    wrap = patches.wrap_subclasses_once_imported
    tools = "llama_index.core.tools.types"
    wrap(tools, "BaseTool", {"__call__": called}, unless=lambda cls: inherits(cls, "AsyncBaseTool"))
    # The adapter calls a tool that is reported.
    both = {"call": called, "acall": called}
    wrap(tools, "AsyncBaseTool", both, unless=lambda cls: inherits(cls, "BaseToolAsyncAdapter"))
    bodies = {"_retrieve": retrieved, "_aretrieve": retrieved}
    wrap("llama_index.core.base.base_retriever", "BaseRetriever", bodies)
    wrap("llama_index.core.chat_engine.types", "BaseChatEngine", {"chat": asked, "achat": asked})
    wrap("llama_index.core.llms.llm", "LLM", METHODS, unless=asks_client)
