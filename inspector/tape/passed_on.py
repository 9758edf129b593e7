"""Messages of a graph's state that a tool passes on, under ids that LangGraph makes up again in each run."""

import re
from collections.abc import Iterable
from typing import Final

from inspector.model import Event

_COMMAND: Final = '"class":"langgraph.types:Command"'
_ID: Final = re.compile(r'"id":"([^"\\]*[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}[^"\\]*)"')
"""A UUID, or one with words around it as in ``lc_run--UUID-0``, as the id of a message and not in its text."""


def passes_on_state(result: str | None, above: Iterable[Event]) -> bool:
    """Tell whether a tool's result has messages that its graph already had, as a handoff to another agent does.

    In a replay the graph has them under other ids, so it would have them twice.

    Args:
        result: What the tool returned, as the recorder wrote it.
        above: The calls around the tool, whose inputs have the messages of the state.
    """
    if result is None or _COMMAND not in result:
        return False
    ids = set(_ID.findall(result))
    inputs = [bytes(each.input or b"").decode() for each in above if each.kind in ("agent", "workflow")]
    return any(f'"{each}"' in text for each in ids for text in inputs)
