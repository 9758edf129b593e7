def test_openais_package_under_openinference(told):
    assert (
        told("openinference_openai")
        == """\
llm 'ChatCompletion' (openinference/1) ok
    model gpt-4o, session_id session-1, tokens 6 (0 cached) + 3, $0.000045
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: weather({"city": "Paris"}) #call_weather_0 [tool_calls]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.tool.definitions,
      gen_ai.provider.name, gen_ai.request.model
llm 'ChatCompletion' (openinference/1) ok
    model gpt-4o
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny"
    > assistant: "told: sunny" [stop]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name, gen_ai.request.model
llm 'Response' (openinference/1) ok
    model gpt-4o, tokens 7 (1 cached) + 3, $0.00004625
    < system: "Be short."
    < user: "Hello\\n!think Hm.\\n!cached 1"
    > assistant: reasoning "Hm."
    > assistant: "echo: Hello"
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name, gen_ai.request.model
llm 'ChatCompletion' (openinference/1) error
    model gpt-4o, error_type openai.BadRequestError
    < user: "!fail 400 1"
    added gen_ai.input.messages, gen_ai.provider.name, gen_ai.request.model
llm 'CreateEmbeddings' (openinference/1) ok
    model text-embedding-3-small, tokens 2 (0 cached) + None, $0.00000004
    < user: "one"
    < user: "two"
    > output.value = {"data":[{"embedding":[0.25,0.0],"index":0,"object":"embedding"},{"embedding":[0.25,…
    added gen_ai.input.messages, gen_ai.provider.name, gen_ai.request.model
"""
    )


def test_anthropics_package_under_openinference(told):
    assert (
        told("openinference_anthropic")
        == """\
llm 'messages.create' (openinference/1) ok
    model claude-sonnet-4-5, tokens 10 (2 cached) + 4, $0.0000846
    < system: "Be short."
    < user: "!think Where?\\n!cached 2\\n!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: reasoning "Where?", weather({"city": "Paris"}) #call_weather_0 [tool_use]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.tool.definitions,
      gen_ai.provider.name, gen_ai.request.model
llm 'messages.create' (openinference/1) ok
    model claude-sonnet-4-5, tokens 11 (2 cached) + 3, $0.0000726
    < system: "Be short."
    < user: "!think Where?\\n!cached 2\\n!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny"
    > assistant: reasoning "Where?", "told: sunny" [end_turn]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.tool.definitions,
      gen_ai.provider.name, gen_ai.request.model
"""
    )


def test_an_agent_of_langchain_under_openinference(told):
    assert (
        told("openinference_langchain")
        == """\
llm 'Model' (openinference/1) ok
    agent forecaster, session_id session-1, tokens 20 (8 cached) + 5
    < user: "How is the weather?"
    > assistant: weather({"city": "Paris"}) #call_1
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name, gen_ai.agent.name
other 'model' (openinference/1) ok
    agent forecaster, session_id session-1
    < input.value = {"messages": [{"type": "human", "data": {"content": "How is the weather?", "additiona…
    > output.value = [{"graph": null, "update": {"messages": [{"type": "ai", "data": {"content": "", "add…
    added gen_ai.agent.name
tool 'weather' (openinference/1) ok
    agent forecaster, tool weather, session_id session-1
    < input.value = Paris
    > gen_ai.tool.call.result = sunny in Paris
    added gen_ai.tool.call.id, gen_ai.tool.call.result, gen_ai.agent.name
other 'tools' (openinference/1) ok
    agent forecaster, session_id session-1
    < input.value = [{"name": "weather", "args": {"city": "Paris"}, "id": "call_1", "type": "tool_call"}]
    > output.value = {"messages": [{"type": "tool", "data": {"content": "sunny in Paris", "additional_kwa…
    added gen_ai.agent.name
llm 'Model' (openinference/1) ok
    agent forecaster, session_id session-1
    < user: "How is the weather?"
    < assistant: weather({"city": "Paris"}) #call_1
    < tool: #call_1 = "sunny in Paris"
    > assistant: "It is sunny in Paris."
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name, gen_ai.agent.name
other 'model' (openinference/1) ok
    agent forecaster, session_id session-1
    < input.value = {"messages": [{"type": "human", "data": {"content": "How is the weather?", "additiona…
    > output.value = [{"graph": null, "update": {"messages": [{"type": "ai", "data": {"content": "It is s…
    added gen_ai.agent.name
workflow 'forecaster' (openinference/1) ok
    agent forecaster, session_id session-1
    < input.value = {"messages": [["user", "How is the weather?"]]}
    > output.value = {"messages": [{"type": "human", "data": {"content": "How is the weather?", "addition…
    added gen_ai.agent.name
other 'Library' (openinference/1) ok
    < input.value = cities
    > output.value = {"documents": [{"id": null, "metadata": {"page": 1}, "page_content": "Paris is a cit…
tool 'broken' (openinference/1) error
    tool broken, error_type RuntimeError
"""
    )
