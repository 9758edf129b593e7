"""The nouns of the hook contract, one row each: what the recorder, the readers and the store have to agree on.

How the values of a noun's hooks are captured is in `inspector.record`, how its calls are described is in
`inspector.reading`; a test asks both for every row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from inspector import semconv

Kind = Literal["workflow", "agent", "llm", "tool", "rpc", "resource", "prompt", "other"]
"""What a span stands for."""
KINDS: tuple[Kind, ...] = ("workflow", "agent", "llm", "tool", "rpc", "resource", "prompt", "other")

Role = Literal["call", "between", "sent", "around"]
"""What spans of a noun are where a call is recorded twice: ``call``, of which two may be one call; ``between`` two
spans of one call; ``sent``, what a JSON-RPC request may be sent for besides, and what is below begins anew; ``around``
all of them, which begins another call."""


@dataclass(frozen=True, slots=True)
class Noun:
    """A row of the table: what there is to know of one noun."""

    name: str
    """As the hooks and the attribute `inspector.semconv.HOOK` have it."""
    kind: Kind
    """What its spans stand for."""
    role: Role
    required: frozenset[str] = frozenset()
    """Attributes that the recorder always writes, whatever the emitter passed and with content switched off too: a span
    that lacks one of them was not made by the hook that it names, whoever sent it."""
    hooks: bool = True
    """Whether the contract has a before, an after and an error hook of it; other spans are begun by the recorder."""
    is_run: bool = False
    """Whether each of its spans is a run."""
    in_agent: bool = False
    """Whether its spans name the agent around them."""


_OPERATION = frozenset((semconv.OPERATION_NAME, semconv.SPAN_TYPE))
_METHOD = frozenset((semconv.MCP_METHOD_NAME, semconv.SPAN_TYPE))
_ALL = (
    Noun("run", "workflow", "around", hooks=False, is_run=True),
    Noun("request", "workflow", "around", hooks=False, is_run=True),
    Noun("cell", "workflow", "around", hooks=False, is_run=True),
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


def kinds_of(role: Role) -> frozenset[Kind]:
    """Returns the kinds of spans of a role; those of no noun may stand between."""
    of_none: tuple[Kind, ...] = ("other",) if role == "between" else ()
    return frozenset((*(noun.kind for noun in _ALL if noun.role == role), *of_none))


def nouns_of(*roles: Role) -> frozenset[str]:
    """Returns the names of the nouns of some roles."""
    return frozenset(noun.name for noun in _ALL if noun.role in roles)
