def test_an_agent_of_pydantic_ai_under_logfire(told):
    assert (
        told("logfire_pydantic_ai")
        == """\
other 'plan {city}' (logfire/2) running
other 'done with {city}' (logfire/2) ok
other 'plan {city}' (logfire/2) ok
agent 'invoke_agent forecaster' (logfire/2) running
    agent forecaster, model function:answer:, session_id conversation-1
llm 'chat function:answer:' (logfire/2) running
    agent forecaster, session_id conversation-1
llm 'chat function:answer:' (logfire/2) ok
    agent forecaster, model function:answer:, session_id conversation-1, tokens 20 (8 cached) + 5
    < user: "How is the weather?"
    > assistant: thinking "Where?", weather({"city": "Paris"}) #call_1, broken({}) #call_2
tool 'execute_tool weather' (logfire/2) running
    agent forecaster, tool weather, session_id conversation-1
    < gen_ai.tool.call.arguments = {"city":"Paris"}
tool 'execute_tool broken' (logfire/2) running
    agent forecaster, tool broken, session_id conversation-1
    < gen_ai.tool.call.arguments = {}
tool 'execute_tool weather' (logfire/2) ok
    agent forecaster, tool weather, session_id conversation-1
    < gen_ai.tool.call.arguments = {"city":"Paris"}
    > gen_ai.tool.call.result = sunny in Paris
tool 'execute_tool broken' (logfire/2) error
    agent forecaster, tool broken, session_id conversation-1, error_type pydantic_ai.exceptions.ToolRetryError
    < gen_ai.tool.call.arguments = {}
    > gen_ai.tool.call.result = try later
llm 'chat function:answer:' (logfire/2) running
    agent forecaster, session_id conversation-1
llm 'chat function:answer:' (logfire/2) ok
    agent forecaster, model function:answer:, session_id conversation-1, tokens 20 (8 cached) + 5
    < user: "How is the weather?"
    < assistant: thinking "Where?", weather({"city": "Paris"}) #call_1, broken({}) #call_2
    < user: #call_1 = "sunny in Paris", #call_2 = "try later"
    > assistant: "It is sunny."
agent 'invoke_agent forecaster' (logfire/2) ok
    agent forecaster, model function:answer:, session_id conversation-1
    < pydantic_ai.all_messages = [{"role":"user","parts":[{"type":"text","content":"How is the weather?"}…
    > final_result = It is sunny.
"""
    )


def test_openais_and_anthropics_packages_under_logfire(told):
    assert (
        told("logfire_openai")
        == """\
llm 'Chat Completion with {request_data[model]!r}' (logfire/2) ok
    model gpt-4o, tokens 6 (0 cached) + 3, $0.000045
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: weather({"city": "Paris"}) #call_weather_0 [tool_calls]
llm 'Chat Completion with {request_data[model]!r}' (logfire/2) ok
    model gpt-4o
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny"
other 'streaming response from {request_data[model]!r} took {duration:.2f}s' (logfire/2) ok
    model gpt-4o
    < request_data = {"model":"gpt-4o"}
    > assistant: "told: sunny" [stop]
llm 'Responses API with {gen_ai.request.model!r}' (logfire/2) ok
    model gpt-4o, tokens 5 (0 cached) + 3, $0.0000425
    < user: "Hello\\n!think Hm."
    > assistant: "echo: Hello"
llm 'Message with {request_data[model]!r}' (logfire/2) ok
    model claude-sonnet-4-5, tokens 8 (2 cached) + 3, $0.0000636
    < user: "!cached 2\\n!call weather {\\"city\\": \\"Rome\\"}"
    > assistant: weather({"city": "Rome"}) #call_weather_0 [tool_use]
"""
    )


def test_pydantic_ais_events_in_attributes(told):
    assert (
        told("pydantic_ai_earlier")
        == """\
llm 'chat function:answer:' (logfire/1) ok
    model function:answer:, tokens 20 (0 cached) + 5
    < system: "Be short."
    < user: "How is the weather?"
    > assistant: weather({"city": "Paris"}) #call_1, broken({}) #call_2
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
tool 'running tool' (logfire/1) ok
    tool weather
    < tool_arguments = {"city":"Paris"}
    > tool_response = sunny in Paris
tool 'running tool' (logfire/1) error
    tool broken, error_type pydantic_ai.exceptions.ToolRetryError
    < tool_arguments = {}
    > tool_response = try later

Fix the errors and try again.
other 'running tools' (logfire/2) ok
llm 'chat function:answer:' (logfire/1) ok
    model function:answer:, tokens 20 (0 cached) + 5
    < system: "Be short."
    < user: "How is the weather?"
    < assistant: weather({"city": "Paris"}) #call_1, broken({}) #call_2
    < tool: #call_1 = "sunny in Paris"
    < tool: #call_2 = "try later\\n\\nFix the errors and try again."
    > assistant: "It is sunny."
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
agent 'agent run' (logfire/1) ok
    agent forecaster, model function:answer:
    < system: "Be short."
    < user: "How is the weather?"
    < assistant: weather({"city": "Paris"}) #call_1, broken({}) #call_2
    < tool: #call_1 = "sunny in Paris"
    < tool: #call_2 = "try later\\n\\nFix the errors and try again."
    < assistant: "It is sunny."
    > final_result = It is sunny.
    added gen_ai.input.messages
"""
    )


def test_logfires_requests_and_responses(told):
    assert (
        told("logfire_openai_earlier")
        == """\
llm 'Chat Completion with {request_data[model]!r}' (logfire/1) ok
    model gpt-4o, tokens 6 (0 cached) + 3, $0.000045
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: weather({"city": "Paris"}) #call_weather_0
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.request.model,
      gen_ai.tool.definitions, inspector.llm.usage_json
llm 'Chat Completion with {request_data[model]!r}' (logfire/1) ok
    model gpt-4o
    < system: "Be short."
    < user: "!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny"
    added gen_ai.input.messages, gen_ai.request.model
other 'streaming response from {request_data[model]!r} took {duration:.2f}s' (logfire/1) ok
    < request_data = {"messages":[{"role":"system","content":"Be short."},{"role":"user","content":"!call…
    > response_data = {"message":{"content":"told: sunny","refusal":null,"role":"assistant","annotations"…
llm 'Responses API with {request_data[model]!r}' (logfire/1) ok
    model gpt-4o
    < system: "Be short."
    < user: "Hello\\n!think Hm."
    added gen_ai.input.messages, gen_ai.request.model
"""
    )
