"""google-adk: the conventions, and in its earlier form requests and responses under ``gcp.vertex.agent.*``."""

from inspector import semconv
from inspector.reading.dialects.content import conversation, member
from inspector.reading.dialects.dialect import Dialect, KindRule

GOOGLE_ADK = Dialect(
    name="google_adk/2",
    versions=(("gcp.vertex.agent.llm_request", "google_adk/1"),),
    scopes=("gcp.vertex.agent",),
    marks=("gcp.vertex.agent.event_id", "gcp.vertex.agent.invocation_id", "gcp.vertex.agent.llm_request"),
    kinds=(
        # Written next to the spans of tools that were called in parallel; it is not a call.
        KindRule(semconv.TOOL_NAME, {"(merged tools)": "other"}),
        # In the earlier form a model call has two spans; the inner one lacks the input.
        KindRule("gen_ai.system", {"gcp.vertex.agent": "llm"}, otherwise="other"),
    ),
    session=(semconv.SESSION_ID, semconv.CONVERSATION_ID, "gcp.vertex.agent.session_id"),
    placeholders=frozenset(("(merged tools)", "<not specified>")),
    inputs={
        "llm": (semconv.INPUT_MESSAGES, "gcp.vertex.agent.llm_request"),
        "tool": (semconv.TOOL_CALL_ARGUMENTS, "gcp.vertex.agent.tool_call_args"),
    },
    outputs={
        "llm": (semconv.OUTPUT_MESSAGES, "gcp.vertex.agent.llm_response"),
        "tool": (semconv.TOOL_CALL_RESULT, "gcp.vertex.agent.tool_response"),
        "other": ("gcp.vertex.agent.tool_response",),
    },
    contents={
        "llm": {
            semconv.INPUT_MESSAGES: (conversation("gcp.vertex.agent.llm_request", role="user", plain=False),),
            semconv.OUTPUT_MESSAGES: (conversation("gcp.vertex.agent.llm_response", role="assistant", plain=False),),
            semconv.TOOL_DEFINITIONS: (member("gcp.vertex.agent.llm_request", "config", "tools"),),
        },
    },
)
