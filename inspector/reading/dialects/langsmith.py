"""LangSmith's client when it writes to OpenTelemetry: LangChain's runs, inputs and outputs as JSON."""

from collections.abc import Mapping

from inspector import semconv
from inspector.model import Kind
from inspector.reading.dialects.content import copied
from inspector.reading.dialects.dialect import Dialect, KindRule

_KINDS: Mapping[str, Kind] = {
    "llm": "llm",
    "embedding": "llm",
    "tool": "tool",
    "prompt": "prompt",
    "chain": "other",
    "retriever": "other",
    "parser": "other",
}
_RUNS: tuple[Kind, ...] = ("workflow", "tool", "prompt", "other")
_METADATA = "langsmith.metadata."

LANGSMITH = Dialect(
    name="langsmith/1",
    scopes=("langsmith",),
    marks=("langsmith.span.kind", "langsmith.trace.name"),
    kinds=(
        KindRule("langsmith.span.kind", {"chain": "workflow"}, where="at the root"),
        KindRule("langsmith.span.kind", _KINDS),
    ),
    session=tuple(f"{_METADATA}{name}" for name in ("session_id", "thread_id", "conversation_id")),
    agent=(f"{_METADATA}lc_agent_name",),
    model=(semconv.RESPONSE_MODEL, semconv.REQUEST_MODEL, f"{_METADATA}ls_model_name"),
    provider=(f"{_METADATA}ls_provider",),
    # The details that it has as an attribute are Python's text of a dict; those in the answer are JSON.
    usages=(f"{_METADATA}usage_metadata", "gen_ai.completion"),
    inputs=dict.fromkeys(_RUNS, ("gen_ai.prompt",)),
    outputs=dict.fromkeys(_RUNS, ("gen_ai.completion",)),
    contents={
        "llm": {
            semconv.PROVIDER_NAME: (copied(f"{_METADATA}ls_provider"),),
            semconv.REQUEST_MODEL: (copied(f"{_METADATA}ls_model_name"),),
        },
    },
)
