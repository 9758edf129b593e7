"""Short codes for common names: the hook and dialect of a span, and the keys of its input and output.

A code takes one or two bytes. The lists must never change, because stored codes could not be read any more; names can
only be added at the end. Names without a code are stored in full, as are all names in rows of schema 0021 and before.
"""

from typing import Final

_PLAIN: Final = "\x7f"
"""The prefix of a name without a code that would otherwise be read as one."""
_CODES: Final = (*map(chr, range(1, 32)), *map(chr, range(0x80, 0xA0)))
"""Control characters, since hardly any name begins with one; the first 31 take one byte, the others two."""
_SPECIAL: Final = frozenset((*_CODES, _PLAIN))


class Codes:
    """The codes of a column, for names of which the most common come first."""

    def __init__(self, names: str) -> None:
        self.names: Final = tuple(names.split())
        codes = dict(zip(self.names, _CODES, strict=False))
        # Each written span needs four of these lookups, and a function call would take twice as long.
        self.of: Final = _Codes({None: None, **codes}).__getitem__
        """Returns the stored form of a name."""
        self.name: Final = _Names({None: None, **{code: name for name, code in codes.items()}}).__getitem__
        """Returns the name of a stored form."""


class _Codes(dict[str | None, str | None]):
    def __missing__(self, name: str) -> str:
        return _PLAIN + name if name[:1] in _SPECIAL else name


class _Names(dict[str | None, str | None]):
    def __missing__(self, stored: str) -> str:
        return stored[1:] if stored[:1] == _PLAIN else stored


HOOKS: Final = Codes("""
    run request cell workflow_run agent_call llm_generate tool_call rpc_request resource_fetch prompt_apply
""")
DIALECTS: Final = Codes("""
    inspector/1 openinference/1 vercel_ai/1 langsmith/1 litellm/1 mcp_agent/1 openllmetry/2 google_adk/2 10xgraph/1
    agent_framework/1 autogen/1 anthropic/1 fast_agent/1 mcp_sdk/2 logfire/2 hooks/1 gen_ai/2 otel openllmetry/1
    google_adk/1 mcp_sdk/1 logfire/1 gen_ai/1
""")
KEYS: Final = Codes("""
    gen_ai.input.messages gen_ai.output.messages gen_ai.tool.call.arguments gen_ai.tool.call.result
    mcp.workflow.input_json mcp.workflow.output_json inspector.agent.input_json mcp.result.agent_call_json
    mcp.rpc.request_json mcp.rpc.response_json mcp.tool.input_json mcp.tool.output_json
    mcp.tool.structured_output_json mcp.llm.prompt_json mcp.llm.response_json input.value output.value
    gen_ai.prompt gen_ai.completion ai.prompt ai.response.text ai.response.object ai.toolCall.args ai.toolCall.result
    traceloop.entity.input traceloop.entity.output mcp.resource.uri inspector.resource.content_json
    mcp.prompt.parameters_json inspector.prompt.rendered_json pydantic_ai.all_messages
    final_result tool_arguments tool_response request_data response_data ai.value ai.values tool_args
    gen_ai.retrieval.documents gcp.vertex.agent.llm_request gcp.vertex.agent.llm_response
    gcp.vertex.agent.tool_call_args gcp.vertex.agent.tool_response
""")
"""The keys of inputs and of outputs."""
