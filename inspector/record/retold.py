"""Which spans tell of a call that one around them stands for, as far as one process can know.

The store decides it for good, over all processes and with tokens known (`inspector.store.folding`); what is said at the
end of ``inspector run`` is counted before anything is stored.
"""

from inspector.record.calls import chain
from inspector.record.spans import RecordedSpan

_FOLDABLE = frozenset({"llm_generate", "tool_call", "agent_call"})
_BETWEEN = "rpc_request"


def is_retold(span: RecordedSpan) -> bool:
    """Tell whether a call is one with a call around it, with nothing but requests between them.

    A tool that ran for a request that came with its caller's trace context is the caller's tool call.
    """
    if span.noun not in _FOLDABLE:
        return False
    for around in chain(span.parent):
        if around.noun == span.noun:
            return span.noun == "llm_generate" or _name(around) == _name(span)
        if around.noun == _BETWEEN and around.direction == "inbound" and around.parent_id is not None:
            return span.noun == "tool_call"
        if around.noun != _BETWEEN and not around.is_native:
            return False
    return False


def _name(span: RecordedSpan) -> object:
    # What was captured is let go of once it was written; a tool's name stays as what tells its calls apart.
    return span.identity if span.noun == "tool_call" else span.before.get("name")
