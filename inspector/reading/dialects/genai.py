"""OpenTelemetry's conventions for generative AI and MCP, which every other dialect falls back to.

https://github.com/open-telemetry/semantic-conventions-genai
"""

from collections.abc import Mapping

from inspector import semconv
from inspector.model import Kind
from inspector.reading.dialects.content import (
    DETAILS,
    answered_in_events,
    asked_in_events,
    conversation,
    copied,
    of_event,
)
from inspector.reading.dialects.dialect import Dialect, KindRule

OPERATIONS: Mapping[str, Kind] = {
    "chat": "llm",
    "text_completion": "llm",
    "generate_content": "llm",
    "embeddings": "llm",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "handle_conversation_turn": "agent",
    "invoke_workflow": "workflow",
}
"""Kinds by ``gen_ai.operation.name``; ``create_agent`` is no call of the agent."""

METHODS: Mapping[str, Kind] = {"resources/read": "resource", "prompts/get": "prompt"}
"""Kinds by ``mcp.method.name``, where it is not plainly an RPC."""

_QUERIES = ("gen_ai.retrieval.query.text", "gen_ai.memory.query.text")
_FINDINGS = ("gen_ai.retrieval.documents", "gen_ai.memory.records")
"""What retrievals and searches of a memory look for, and what they find."""

GEN_AI = Dialect(
    name="gen_ai/2",
    versions=((semconv.PROVIDER_NAME, "gen_ai/2"), ("gen_ai.system", "gen_ai/1")),
    marks=(
        semconv.OPERATION_NAME,
        "gen_ai.system",
        semconv.PROVIDER_NAME,
        semconv.REQUEST_MODEL,
        semconv.TOOL_NAME,
        semconv.AGENT_NAME,
        semconv.CONVERSATION_ID,
        semconv.MCP_METHOD_NAME,
    ),
    kinds=(
        # A client or server span with an MCP method is the message, even if it also names the operation; a tool's own
        # span may name the method and still is the tool.
        KindRule(semconv.MCP_METHOD_NAME, METHODS, otherwise="rpc", where="between processes"),
        KindRule(semconv.OPERATION_NAME, OPERATIONS, otherwise="other"),
        KindRule(semconv.MCP_METHOD_NAME, METHODS, otherwise="rpc"),
        KindRule(semconv.TOOL_NAME, otherwise="tool"),
        KindRule("gen_ai.system", otherwise="llm"),
    ),
    session=(semconv.SESSION_ID, semconv.CONVERSATION_ID),
    agent=(semconv.AGENT_NAME, semconv.SEED_AGENT_NAME),
    model=(semconv.RESPONSE_MODEL, semconv.REQUEST_MODEL, semconv.SEED_LLM_MODEL),
    provider=(semconv.PROVIDER_NAME, "gen_ai.system", semconv.SEED_LLM_PROVIDER),
    tool=(semconv.TOOL_NAME, semconv.SEED_TOOL_NAME),
    input_tokens=(semconv.USAGE_INPUT_TOKENS, "gen_ai.usage.prompt_tokens"),
    output_tokens=(semconv.USAGE_OUTPUT_TOKENS, "gen_ai.usage.completion_tokens"),
    cache_read=(
        semconv.USAGE_CACHE_READ,
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.cache_read_tokens",
        "gen_ai.usage.details.cache_read_tokens",
        "gen_ai.usage.cached_tokens",
    ),
    cache_write=(
        semconv.USAGE_CACHE_WRITE,
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.cache_creation_tokens",
        "gen_ai.usage.cache_write_tokens",
        "gen_ai.usage.details.cache_write_tokens",
    ),
    price=("gen_ai.usage.cost", "operation.cost", "gen_ai.cost.total_cost"),
    error_message=(semconv.SEED_ERROR_MESSAGE, "error.message"),
    failures={semconv.ERROR_TYPE: frozenset(), semconv.SEED_STATUS_CODE: frozenset(("error",))},
    inputs={
        "workflow": (semconv.SEED_WORKFLOW_INPUT, semconv.INPUT_MESSAGES),
        "agent": (semconv.AGENT_INPUT, semconv.INPUT_MESSAGES),
        "llm": (semconv.INPUT_MESSAGES, semconv.SEED_LLM_PROMPT, "gen_ai.prompt"),
        "tool": (semconv.TOOL_CALL_ARGUMENTS, semconv.SEED_TOOL_INPUT),
        "rpc": (semconv.SEED_RPC_REQUEST, semconv.TOOL_CALL_ARGUMENTS),
        "resource": (semconv.MCP_RESOURCE_URI,),
        "prompt": (semconv.SEED_PROMPT_PARAMETERS, semconv.SEED_RPC_REQUEST),
        "other": (semconv.INPUT_MESSAGES, semconv.TOOL_CALL_ARGUMENTS, *_QUERIES),
    },
    outputs={
        "workflow": (semconv.SEED_WORKFLOW_OUTPUT, semconv.OUTPUT_MESSAGES),
        "agent": (semconv.SEED_AGENT_RESULT, semconv.OUTPUT_MESSAGES),
        "llm": (semconv.OUTPUT_MESSAGES, semconv.SEED_LLM_RESPONSE, "gen_ai.completion"),
        "tool": (semconv.TOOL_CALL_RESULT, semconv.SEED_TOOL_OUTPUT, semconv.SEED_TOOL_STRUCTURED_OUTPUT),
        "rpc": (semconv.SEED_RPC_RESPONSE, semconv.TOOL_CALL_RESULT),
        "resource": (semconv.RESOURCE_CONTENT, semconv.SEED_RPC_RESPONSE),
        "prompt": (semconv.PROMPT_RENDERED, semconv.SEED_RPC_RESPONSE),
        "other": (semconv.OUTPUT_MESSAGES, semconv.TOOL_CALL_RESULT, *_FINDINGS),
    },
    contents={
        "llm": {
            semconv.INPUT_MESSAGES: (
                asked_in_events,
                conversation("gen_ai.prompt", semconv.SEED_LLM_PROMPT, role="user"),
            ),
            semconv.OUTPUT_MESSAGES: (
                answered_in_events,
                conversation("gen_ai.completion", semconv.SEED_LLM_RESPONSE, role="assistant"),
            ),
            semconv.SYSTEM_INSTRUCTIONS: (of_event(DETAILS, semconv.SYSTEM_INSTRUCTIONS),),
            semconv.TOOL_DEFINITIONS: (of_event(DETAILS, semconv.TOOL_DEFINITIONS),),
            semconv.PROVIDER_NAME: (copied("gen_ai.system", semconv.SEED_LLM_PROVIDER),),
            semconv.REQUEST_MODEL: (copied(semconv.SEED_LLM_MODEL),),
        },
        "agent": {
            semconv.INPUT_MESSAGES: (asked_in_events,),
            semconv.OUTPUT_MESSAGES: (answered_in_events,),
        },
    },
)
