"""Observes CrewAI's event bus where events are emitted."""

from collections import OrderedDict
from typing import Any, Final

from inspector.integrations.calls import Call, around_here, conclude, enclosing, guarded, is_reported, opened
from inspector.integrations.crewai.events import ENDS, STARTS
from inspector.integrations.patches import Patches, wrapping
from instrument.keywords import Noun

_open: OrderedDict[str, tuple[str, str, Call]] = OrderedDict()
"""Calls that have begun, by call id: the type and the id of the event that began them."""
_MOST_OPEN: Final = 4096


def listen(patches: Patches) -> None:
    """Handle each event of the bus before its handlers run."""
    wrappers = {"emit": _emitted, "aemit": _emitted_async}
    patches.wrap_once_imported("crewai.events.event_bus", "CrewAIEventsBus", wrappers)


@wrapping
def _emitted(original: Any, self: Any, source: Any, event: Any) -> Any:
    result = original(self, source, event)
    _report(source, event)
    return result


@wrapping
async def _emitted_async(original: Any, self: Any, source: Any, event: Any) -> Any:
    _report(source, event)
    return await original(self, source, event)


@guarded
def _report(source: Any, event: Any) -> None:
    kind = event.type
    if kind.startswith(("flow_", "method_")) and type(source).__module__.startswith("crewai."):
        # CrewAI's own building blocks of agents, not flows of the program.
        return
    if kind in STARTS:
        noun, describe = STARTS[kind]
        if not _is_reported(noun, source, event):
            _begin(kind, event.event_id, opened(noun, lambda: describe(source, event), emitter="crewai"))
    elif kind in ENDS:
        started, describe = ENDS[kind]
        call = _begun(started, event.started_event_id)
        if call is not None:
            _open.pop(call.call_id, None)
            conclude(call, describe, event)
    elif kind == "llm_stream_chunk":
        call = _begun("llm_call_started", None)
        if call is not None and call.keyword("time_to_first_chunk") is None:
            call.add(time_to_first_chunk=call.seconds)


def _is_reported(noun: Noun, source: Any, event: Any) -> bool:
    if noun == "llm_generate":
        # By its own method, if it is a model of the program.
        return is_reported(noun, source)
    if event.type == "mcp_tool_execution_started":
        around = next(enclosing("tool_call"), None)
        return around is not None and str(around.keyword("tool_name")).endswith(event.tool_name)
    return False


def _begin(kind: str, event_id: str, call: Call) -> None:
    _open[call.call_id] = (kind, event_id, call)
    while len(_open) > _MOST_OPEN:
        _open.popitem(last=False)


def _begun(kind: str, event_id: str | None) -> Call | None:
    """Return the innermost open call of a kind; in other contexts, the one that the event names."""
    for call in around_here():
        if call.call_id in _open and _open[call.call_id][0] == kind:
            return call
    for its_kind, its_event_id, call in tuple(_open.values()):
        if (its_kind, its_event_id) == (kind, event_id) and call.is_open:
            return call
    return None
