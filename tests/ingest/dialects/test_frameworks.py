def test_the_mcp_sdks_own_spans(told):
    assert (
        told("mcp_sdk")
        == """\
rpc 'initialize' (mcp_sdk/2) ok
rpc 'MCP send initialize' (mcp_sdk/2) ok
rpc 'notifications/initialized' (mcp_sdk/2) ok
rpc 'tools/call weather' (mcp_sdk/2) ok
    tool weather
rpc 'MCP send tools/call weather' (mcp_sdk/2) ok
rpc 'tools/list' (mcp_sdk/2) ok
rpc 'MCP send tools/list' (mcp_sdk/2) ok
rpc 'tools/call broken' (mcp_sdk/2) error
    tool broken, error_type tool_error
rpc 'MCP send tools/call broken' (mcp_sdk/2) ok
resource 'resources/read' (mcp_sdk/2) ok
resource 'MCP send resources/read' (mcp_sdk/2) ok
prompt 'prompts/get ask' (mcp_sdk/2) ok
prompt 'MCP send prompts/get ask' (mcp_sdk/2) ok
"""
    )


def test_mcp_agents_own_spans(told):
    assert (
        told("mcp_agent_own")
        == """\
llm 'openai.chat' (openllmetry/2) ok
    model gpt-4o, tokens 8 (0 cached) + 6, $0.00008
    < system: "Be short."
    < user: "!call clock_shout {\\"text\\": \\"hi\\"}\\n!call clock_refuse"
    > assistant: clock_shout({"text": "hi"}) #call_clock_shout_0, clock_refuse({}) #call_clock_refuse_1 […
llm 'openai.chat' (openllmetry/2) ok
    model gpt-4o, tokens 14 (0 cached) + 7, $0.000105
    < system: "Be short."
    < user: "!call clock_shout {\\"text\\": \\"hi\\"}\\n!call clock_refuse"
    < assistant: clock_shout({"text": "hi"}) #call_clock_shout_0, clock_refuse({}) #call_clock_refuse_1
    < tool: #call_clock_shout_0 = [{"type": "text", "text": "HI"}]
    < tool: #call_clock_refuse_1 = [{"type": "text", "text": "Error executing tool refuse: no"}]
    > assistant: "told: HI Error executing tool refuse: no" [stop]
rpc 'MCPAgentClientSession.send_request' (mcp_agent/1) ok
    tool shout
    < gen_ai.tool.call.arguments = {"text":"hi"}
    > gen_ai.tool.call.result = {"meta":"None","content":[{"type":"text","text":"HI","annotations":"None"…
    added gen_ai.tool.call.arguments, gen_ai.tool.call.result
other 'MCPAggregator.call_tool' (mcp_agent/1) ok
    agent forecaster, tool clock_shout
other 'Agent.forecaster.call_tool' (mcp_agent/1) ok
    agent forecaster, tool clock_shout
other 'OpenAIAugmentedLLM.forecaster.call_tool' (mcp_agent/1) ok
    agent forecaster
tool 'OpenAIAugmentedLLM.forecaster.execute_tool_call' (mcp_agent/1) ok
    tool clock_shout
    < tool_args = {"text": "hi"}
    > gen_ai.tool.call.result = {"isError":false,"content":[{"type":"text","text":"HI"}]}
    added gen_ai.tool.call.result
rpc 'MCPAgentClientSession.send_request' (mcp_agent/1) error
    tool refuse, error_type tool_error
    > gen_ai.tool.call.result = {"meta":"None","content":[{"type":"text","text":"Error executing tool ref…
    added gen_ai.tool.call.result
other 'MCPAggregator.call_tool' (mcp_agent/1) error
    agent forecaster, tool clock_refuse, error_type Exception
other 'Agent.forecaster.call_tool' (mcp_agent/1) error
    agent forecaster, tool clock_refuse, error_type Exception
other 'OpenAIAugmentedLLM.forecaster.call_tool' (mcp_agent/1) error
    agent forecaster, error_type Exception
tool 'OpenAIAugmentedLLM.forecaster.execute_tool_call' (mcp_agent/1) error
    tool clock_refuse, error_type Exception
    < tool_args = {}
    > gen_ai.tool.call.result = {"isError":true}
    added gen_ai.tool.call.result
other 'AsyncioExecutor.execute_many' (otel) ok
agent 'OpenAIAugmentedLLM.forecaster.generate' (mcp_agent/1) ok
    agent forecaster, model gpt-4o
    < user: "!call clock_shout {\\"text\\": \\"hi\\"}\\n!call clock_refuse"
    > assistant: clock_shout({"text": "hi"}) #call_clock_shout_0, clock_refuse({}) #call_clock_refuse_1
    > assistant: "told: HI Error executing tool refuse: no"
    added gen_ai.input.messages, gen_ai.output.messages
"""
    )


def test_fast_agents_own_spans(told):
    assert (
        told("fast_agent_own")
        == """\
rpc 'MCP send server/discover' (mcp_sdk/2) ok
rpc 'MCP send tools/list' (mcp_sdk/2) ok
rpc 'MCP send prompts/list' (mcp_sdk/2) ok
rpc 'MCP send resources/list' (mcp_sdk/2) ok
rpc 'MCP send tools/list' (mcp_sdk/2) ok
rpc 'MCP send prompts/list' (mcp_sdk/2) ok
rpc 'MCP send resources/list' (mcp_sdk/2) ok
rpc 'MCP send tools/call shout' (mcp_sdk/2) ok
rpc 'MCP send tools/call refuse' (mcp_sdk/2) ok
rpc 'MCP send subscriptions/listen' (mcp_sdk/2) ok
tool 'MCP Tool: clock__shout' (fast_agent/1) ok
    tool shout
    added inspector.tool.server
tool 'MCP Tool: clock__refuse' (fast_agent/1) ok
    tool refuse
    added inspector.tool.server
agent 'Agent: 'forecaster' generate' (fast_agent/1) ok
workflow 'trial' (fast_agent/1) ok
"""
    )


def test_10xgraphs_own_spans(told):
    assert (
        told("tenxgraph_otel")
        == """\
other 'tenxgraph.node' (10xgraph/1) ok
other 'tenxgraph.node' (10xgraph/1) ok
    > assistant: weather({"city": "Paris"}) #call_1
    added gen_ai.output.messages
tool 'tenxgraph.tool' (10xgraph/1) ok
    tool weather
    < gen_ai.tool.call.arguments = {"city":"Paris"}
    > gen_ai.tool.call.result = {"message_id":"12eedeed-e21f-4cd7-b3cf-a04aea1c388b","role":"tool","conte…
    added gen_ai.tool.call.arguments, gen_ai.tool.call.result
other 'tenxgraph.node' (10xgraph/1) ok
    > user: "How is the weather?"
    > assistant: weather({"city": "Paris"}) #call_1
    > tool: #call_1 = "sunny in Paris"
    added gen_ai.output.messages
other 'tenxgraph.node' (10xgraph/1) ok
    > assistant: "It is sunny."
    added gen_ai.output.messages
"""
    )


def test_litellms_callback(told):
    assert (
        told("litellm_otel")
        == """\
llm 'litellm_request' (litellm/1) ok
    model gpt-4o, tokens 8 (0 cached) + 3, $0.00004875
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: nothing [tool_calls]
    added gen_ai.provider.name
other 'raw_gen_ai_request' (litellm/1) ok
llm 'litellm_request' (litellm/1) ok
    model gpt-4o, tokens 9 (0 cached) + 2, $0.00004125
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: nothing
    < tool: "sunny"
    > assistant: "told: sunny" [stop]
    added gen_ai.provider.name
other 'raw_gen_ai_request' (litellm/1) ok
llm 'litellm_request' (litellm/1) error
    model gpt-4o, error_type BadRequestError
    < user: "!fail 400 1"
    added gen_ai.provider.name
"""
    )
