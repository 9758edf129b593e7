"""DSPy: modules, tools, parallel work, evaluations, and the model calls of its own client.

Its callbacks (``dspy.configure(callbacks=…)``) do not fit: a program sees them in ``settings``, and removes them when
it configures its own. So functions are wrapped:

- ``__call__`` and ``acall`` of ``Module``, which every module goes through: agents such as ``ReAct`` are agents, all
  others are steps of a workflow. ``Parallel.forward`` and ``Evaluate.__call__`` are steps too.
- ``__call__`` and ``acall`` of ``Tool``, and ``ToolCalls.ToolCall.execute``, which calls a tool's function directly.
- ``stream`` and ``_do_stream`` of the HTTP client that comes with DSPy, ``lm15``. It has sockets of its own, so no
  other integration sees its requests. Those that DSPy makes through LiteLLM are recorded there.
- ``Cache.get``: an answer from DSPy's cache is no model call, and if an earlier process has kept it, the run cannot be
  replayed.
"""

from typing import Any

from inspector.integrations.dspy.cache import looked_up
from inspector.integrations.dspy.client import streamed, streamed_async
from inspector.integrations.dspy.modules import called, evaluated, in_parallel
from inspector.integrations.dspy.tools import executed, invoked
from inspector.integrations.patches import Patches

__all__ = ["install"]

_CLIENT = "dspy._vendor.lm15.transports"


def install(patches: Patches) -> None:
    """Wrap modules, tools and the client."""
    wrap = patches.wrap_once_imported
    wrap("dspy.primitives.module", "Module", {"__call__": called, "acall": called})
    wrap("dspy.predict.parallel", "Parallel", {"forward": in_parallel})
    wrap("dspy.evaluate.evaluate", "Evaluate", {"__call__": evaluated})
    wrap("dspy.adapters.types.tool", "Tool", {"__call__": invoked, "acall": invoked})
    patches.once_imported("dspy.adapters.types.tool", lambda module: _wrap_execution(patches, module.ToolCalls))
    wrap("dspy.clients.cache", "Cache", {"get": looked_up})
    wrap(f"{_CLIENT}._sync", "StdlibTransport", {"stream": streamed})
    wrap(f"{_CLIENT}._async", "StdlibAsyncTransport", {"_do_stream": streamed_async})


def _wrap_execution(patches: Patches, requested: Any) -> None:
    patches.wrap(requested.ToolCall, "execute", executed)
