"""The nouns of the hook contract: what the recorder, the readers and the store have to agree on.

`inspector.record` has the functions that capture the values of their hooks, and `inspector.reading` those that describe
their calls; a test checks that both have every noun.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from inspector import semconv

Kind = Literal["workflow", "agent", "llm", "tool", "rpc", "resource", "prompt", "other"]
"""The kind of operation that a span records."""
KINDS: tuple[Kind, ...] = ("workflow", "agent", "llm", "tool", "rpc", "resource", "prompt", "other")

Role = Literal["call", "between", "sent", "around"]
"""The role of a noun's spans when a call is recorded twice. Two spans of ``call`` may be one call. ``between`` is
allowed between two spans of one call. ``sent`` is another call for which a JSON-RPC request may be sent; spans below it
are other calls. ``around`` encloses calls, and spans below it are other calls."""


@dataclass(frozen=True, slots=True)
class Noun:
    """What is known about one noun."""

    name: str
    """The name in the hooks and in the attribute `inspector.semconv.HOOK`."""
    kind: Kind
    """The kind of its spans."""
    role: Role
    required: frozenset[str] = frozenset()
    """Attributes that the recorder always writes, whatever the emitter passed and even with content off. A span without
    one of them was not made by the hook that it names."""
    hooks: bool = True
    """Whether the contract has hooks for it; the recorder itself begins other spans."""
    is_run: bool = False
    """Whether each of its spans is a run."""
    in_agent: bool = False
    """Whether its spans name the agent around them."""


UNCAUGHT = "uncaught"
"""The noun of the exception that ended a program: it makes its run fail, and is no call."""
_OPERATION = frozenset((semconv.OPERATION_NAME, semconv.SPAN_TYPE))
_METHOD = frozenset((semconv.MCP_METHOD_NAME, semconv.SPAN_TYPE))
_ALL = (
    Noun("run", "workflow", "around", hooks=False, is_run=True),
    Noun("request", "workflow", "around", hooks=False, is_run=True),
    Noun("cell", "workflow", "around", hooks=False, is_run=True),
    Noun(UNCAUGHT, "other", "between", hooks=False),
    Noun("workflow_run", "workflow", "around", _OPERATION),
    Noun("agent_call", "agent", "call", _OPERATION),
    Noun("llm_generate", "llm", "call", _OPERATION, in_agent=True),
    Noun("tool_call", "tool", "call", _OPERATION | {semconv.TOOL_NAME, semconv.SEED_TOOL_NAME}, in_agent=True),
    Noun("rpc_request", "rpc", "between", _METHOD | {semconv.SEED_RPC_METHOD, semconv.SEED_RPC_DIRECTION}),
    Noun("resource_fetch", "resource", "sent", _METHOD, in_agent=True),
    Noun(
        "prompt_apply",
        "prompt",
        "sent",
        _METHOD | {semconv.PROMPT_NAME, semconv.SEED_PROMPT_TEMPLATE_ID},
        in_agent=True,
    ),
)
NOUNS: Mapping[str, Noun] = MappingProxyType({noun.name: noun for noun in _ALL})
"""The table, by name."""


def is_notification(kind: str, name: str) -> bool:
    """Tell whether a span is a notification of MCP, which has no answer; ``totals.ts`` tells it in the same way."""
    return kind == "rpc" and name.startswith("notifications/")


def kinds_of(role: Role) -> frozenset[Kind]:
    """Return the kinds of spans with a role; kinds without a noun count as ``between``."""
    of_none: tuple[Kind, ...] = ("other",) if role == "between" else ()
    return frozenset((*(noun.kind for noun in _ALL if noun.role == role), *of_none))


def nouns_of(*roles: Role) -> frozenset[str]:
    """Return the names of the nouns with one of these roles."""
    return frozenset(noun.name for noun in _ALL if noun.role in roles)
