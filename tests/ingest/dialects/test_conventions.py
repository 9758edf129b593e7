def test_opentelemetrys_own_instrumentation(told):
    assert (
        told("genai_openai")
        == """\
llm 'chat gpt-4o' (gen_ai/2) ok
    model gpt-4o, tokens 8 (0 cached) + 3, $0.00005
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: weather({"city": "Paris"}) #call_weather_0 [tool_calls]
llm 'chat gpt-4o' (gen_ai/2) ok
    model gpt-4o
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny"
    > assistant: "told: sunny" [stop]
llm 'chat gpt-4o' (gen_ai/2) error
    model gpt-4o, error_type BadRequestError
    < user: "!fail 400 1"
llm 'embeddings text-embedding-3-small' (gen_ai/2) ok
    model text-embedding-3-small, tokens 1 (0 cached) + None, $0.00000002
"""
    )


def test_messages_in_events_of_the_span(told):
    assert (
        told("genai_events")
        == """\
other 'POST' (otel) ok
llm 'chat' (gen_ai/1) ok
    model gpt-4o, tokens 6 (0 cached) + 3, $0.000045
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: weather({"city": "Paris"}) #call_weather_0 [tool_calls]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
other 'POST' (otel) ok
llm 'chat' (gen_ai/1) ok
    model gpt-4o, tokens 7 (0 cached) + 2, $0.0000375
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny"
    > assistant: "told: sunny" [stop]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
"""
    )


def test_anthropics_own_spans(told):
    assert (
        told("anthropic_own")
        == """\
llm 'anthropic.messages.create' (anthropic/1) ok
    model claude-sonnet-4-5, tokens 12 (2 cached) + 7, $0.0001356
    < user: "!think Where?\\n!cached 2\\n!call weather {\\"city\\": \\"Paris\\"}\\n!call broken"
    > assistant: reasoning "Where?", weather({"city": "Paris"}) #call_weather_0, broken({}) #call_broken_1
tool 'anthropic.custom_tool_use weather' (anthropic/1) ok
    tool weather
    < gen_ai.tool.call.arguments = {"city":"Paris"}
tool 'anthropic.custom_tool_use broken' (anthropic/1) error
    tool broken, error_type tool_error
    < gen_ai.tool.call.arguments = {}
llm 'anthropic.messages.create' (anthropic/1) ok
    model claude-sonnet-4-5, tokens 6 (0 cached) + 7, $0.000123
    < user: #call_weather_0 = [{"type": "text", "text": "sunny in Paris"}], #call_broken_1 = [{"type": "t…
    > assistant: "told: sunny in Paris RuntimeError('no weather today')"
agent 'anthropic.messages.tool_runner' (anthropic/1) ok
    model claude-sonnet-4-5
llm 'anthropic.messages.create' (anthropic/1) error
    model claude-sonnet-4-5, error_type stub_error
    < user: "!fail 400 1"
"""
    )


def test_agent_frameworks_own_spans(told):
    assert (
        told("agent_framework_own")
        == """\
llm 'chat gpt-4o' (agent_framework/1) ok
    model gpt-4o, tokens 20 (0 cached) + 5, $0.0001
    < user: "How is the weather?"
    > assistant: weather({"city": "Paris"}) #call_1, broken({}) #call_2
tool 'execute_tool weather' (agent_framework/1) ok
    tool weather
    < gen_ai.tool.call.arguments = {"city": "Paris"}
    > gen_ai.tool.call.result = sunny in Paris
tool 'execute_tool broken' (agent_framework/1) error
    tool broken, error_type RuntimeError
    < gen_ai.tool.call.arguments = None
llm 'chat gpt-4o' (agent_framework/1) ok
    model gpt-4o, tokens 20 (0 cached) + 5, $0.0001
    < user: "How is the weather?"
    < assistant: weather({"city": "Paris"}) #call_1, broken({}) #call_2
    < tool: #call_1 = "sunny in Paris", #call_2 = "Error: Function failed."
    > assistant: "It is sunny."
agent 'invoke_agent forecaster' (agent_framework/1) ok
    agent forecaster, model gpt-4o
    < user: "How is the weather?"
    > assistant: weather({"city": "Paris"}) #call_1, broken({}) #call_2
    > tool: #call_1 = "sunny in Paris", #call_2 = "Error: Function failed."
    > assistant: "It is sunny."
"""
    )


def test_autogens_own_spans(told):
    assert (
        told("autogen")
        == """\
other 'create_agent forecaster' (autogen/1) ok
    agent forecaster
tool 'execute_tool weather' (autogen/1) ok
    tool weather
tool 'execute_tool broken' (autogen/1) error
    tool broken, error_type RuntimeError
agent 'invoke_agent forecaster' (autogen/1) ok
    agent forecaster
"""
    )
