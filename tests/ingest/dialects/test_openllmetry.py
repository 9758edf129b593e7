def test_a_workflow_under_openllmetry(told):
    assert (
        told("openllmetry")
        == """\
llm 'openai.chat' (openllmetry/2) ok
    agent forecaster, model gpt-4o, session_id session-1, tokens 6 (0 cached) + 3, $0.000045
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: weather({"city": "Paris"}) #call_weather_0 [tool_call]
llm 'openai.chat' (openllmetry/2) ok
    agent forecaster, model gpt-4o, session_id session-1, tokens 9 (0 cached) + 4, $0.0000625
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny in Paris"
    > assistant: "told: sunny in Paris" [stop]
llm 'openai.chat' (openllmetry/2) error
    agent forecaster, model gpt-4o, session_id session-1, error_type BadRequestError
    < user: "!fail 400 1"
tool 'weather.tool' (openllmetry/2) ok
    agent forecaster, tool weather, session_id session-1
    < traceloop.entity.input = {"args": ["Paris"], "kwargs": {}}
    > traceloop.entity.output = "sunny in Paris"
tool 'broken.tool' (openllmetry/2) error
    agent forecaster, tool broken, session_id session-1, error_type RuntimeError
    < traceloop.entity.input = {"args": [], "kwargs": {}}
agent 'forecaster.agent' (openllmetry/2) ok
    agent forecaster, session_id session-1
    < traceloop.entity.input = {"args": ["http://127.0.0.1:8080"], "kwargs": {}}
    > traceloop.entity.output = "sunny in Paris"
workflow 'travel.workflow' (openllmetry/2) ok
    session_id session-1
    < traceloop.entity.input = {"args": ["http://127.0.0.1:8080"], "kwargs": {}}
    > traceloop.entity.output = "sunny in Paris"
llm 'anthropic.chat' (openllmetry/2) ok
    agent forecaster, model claude-sonnet-4-5, session_id session-1, tokens 10 (2 cached) + 4, $0.0000846
    < user: "!think Where?\\n!cached 2\\n!call weather {\\"city\\": \\"Rome\\"}"
    > assistant: reasoning "Where?", weather({"city": "Rome"}) #call_weather_0 [tool_call]
"""
    )


def test_messages_in_indexed_attributes(told):
    assert (
        told("openllmetry_earlier")
        == """\
llm 'openai.chat' (openllmetry/1) ok
    model gpt-4o, tokens 8 (1 cached) + 3, $0.00004875
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: weather({"city": "Paris"}) #call_weather_0 [tool_calls]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.tool.definitions,
      gen_ai.provider.name
llm 'openai.chat' (openllmetry/1) ok
    model gpt-4o, tokens 11 (0 cached) + 3, $0.0000575
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny"
    < user: "And now?"
    > assistant: "echo: And now?" [stop]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
llm 'openai.completion' (openllmetry/1) ok
    model gpt-3.5-turbo-instruct, tokens 2 (0 cached) + 3, $0.000009
    < user: "Say hello."
    > assistant: "echo: Say hello." [stop]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
llm 'openai.embeddings' (openllmetry/1) ok
    model text-embedding-3-small, tokens 1 (0 cached) + None, $0.00000002
    < user: "one"
    added gen_ai.input.messages, gen_ai.provider.name
llm 'openai.chat' (openllmetry/1) error
    model gpt-4o
    < user: "!fail 400 1"
    added gen_ai.input.messages, gen_ai.provider.name
"""
    )
