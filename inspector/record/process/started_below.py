"""The tool call of a coding agent by which this process was started, if it says which one it is."""

import re
from collections.abc import Mapping
from typing import Final

from opentelemetry import trace

_PASSED_ON: Final = "CLAUDE_CODE_PROPAGATE_TRACEPARENT"
"""With it Claude Code names its span to the commands that it runs. What builds name so is no call of an agent."""
_TRACEPARENT: Final = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}")


def started_below(environ: Mapping[str, str]) -> trace.SpanContext | None:
    """Return the span of the tool call that started this process; None if it was started otherwise."""
    named = _TRACEPARENT.fullmatch(environ.get("TRACEPARENT", ""))
    if named is None or environ.get(_PASSED_ON) != "1":
        return None
    identity = trace.SpanContext(int(named[1], 16), int(named[2], 16), is_remote=True)
    return identity if identity.is_valid else None
