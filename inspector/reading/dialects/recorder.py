"""The spans of our own recorder, and of earlier implementations of the hook contract: one span per call."""

from inspector import semconv
from inspector.nouns import NOUNS
from inspector.reading.dialects.dialect import Dialect, KindRule
from inspector.reading.dialects.genai import GEN_AI, METHODS

INSPECTOR = Dialect(
    name="inspector/1",
    marks=(semconv.HOOK,),
    kinds=(KindRule(semconv.HOOK, {noun.name: noun.kind for noun in NOUNS.values()}, otherwise="other"),),
    session=GEN_AI.session,
    agent=GEN_AI.agent,
    model=GEN_AI.model,
    provider=GEN_AI.provider,
    tool=GEN_AI.tool,
    input_tokens=(semconv.USAGE_INPUT_TOKENS,),
    output_tokens=(semconv.USAGE_OUTPUT_TOKENS,),
    cache_read=(semconv.USAGE_CACHE_READ,),
    cache_write=(semconv.USAGE_CACHE_WRITE,),
    price=(semconv.COST_USD, *GEN_AI.price),
    error_message=(semconv.SEED_ERROR_MESSAGE,),
    inputs=GEN_AI.inputs,
    outputs=GEN_AI.outputs,
)
"""Complete by itself: the recorder writes everything under the standard keys."""

HOOKS = Dialect(
    name="hooks/1",
    marks=(
        semconv.SEED_WORKFLOW_TYPE,
        semconv.SEED_WORKFLOW_INPUT,
        semconv.SEED_AGENT_NAME,
        semconv.SEED_AGENT_CLASS,
        semconv.SEED_LLM_PROMPT,
        semconv.SEED_LLM_RESPONSE,
        semconv.SEED_LLM_MODEL,
        semconv.SEED_TOOL_NAME,
        semconv.SEED_TOOL_INPUT,
        semconv.SEED_RPC_METHOD,
        semconv.SEED_RPC_REQUEST,
        semconv.SEED_PROMPT_TEMPLATE_ID,
        semconv.SEED_STATUS_CODE,
    ),
    kinds=(
        KindRule(semconv.SEED_LLM_PROMPT, otherwise="llm"),
        KindRule(semconv.SEED_LLM_MODEL, otherwise="llm"),
        KindRule(semconv.SEED_RPC_METHOD, METHODS, otherwise="rpc"),
        KindRule(semconv.SEED_PROMPT_TEMPLATE_ID, otherwise="prompt"),
        KindRule(semconv.MCP_METHOD_NAME, METHODS, otherwise="rpc", where="between processes"),
        KindRule(semconv.SEED_TOOL_NAME, otherwise="tool"),
        KindRule(semconv.MCP_RESOURCE_URI, otherwise="resource"),
        KindRule(semconv.SEED_WORKFLOW_TYPE, otherwise="workflow"),
        KindRule(semconv.SEED_WORKFLOW_INPUT, otherwise="workflow"),
        KindRule(semconv.SEED_AGENT_CLASS, otherwise="agent"),
        KindRule(semconv.SEED_AGENT_NAME, otherwise="agent"),
    ),
    failures={semconv.SEED_STATUS_CODE: frozenset(("error",))},
)
