"""CrewAI: crews, tasks, agents, flows, model calls and tools.

Its event bus for the whole process, ``crewai_event_bus``, runs handlers later and on other threads, where calls below
an event cannot be recognised. So ``CrewAIEventsBus.emit`` and ``aemit`` themselves are patched: they run in place, in a
context that CrewAI copies into every thread that it starts.

Two cases without events are patched too: ``call`` and ``acall`` of a program's own models, and the end of interrupted
runs (``Crew.kickoff``, ``Crew.akickoff``, ``Flow.kickoff_async``).
"""

from inspector.integrations.crewai.bus import listen
from inspector.integrations.crewai.models import METHODS, emits_events
from inspector.integrations.crewai.runs import close_runs
from inspector.integrations.patches import Patches
from inspector.integrations.tool_bodies import decided, decided_async

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Observe the bus, and wrap the functions without events."""
    listen(patches)
    close_runs(patches)
    # A function with the decorator is run by `run` itself, any other tool by `_run`.
    sync, coroutine = decided("crewai"), decided_async("crewai")
    bodies = {"run": sync, "_run": sync, "arun": coroutine, "_arun": coroutine}
    patches.wrap_subclasses_once_imported("crewai.tools.base_tool", "BaseTool", bodies)
    patches.wrap_subclasses_once_imported("crewai.llms.base_llm", "BaseLLM", METHODS, unless=emits_events)
