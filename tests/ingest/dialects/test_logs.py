def test_details_of_each_call(told_with_logs):
    assert (
        told_with_logs("genai_logs")
        == """\
llm 'chat gpt-4o' (gen_ai/2) ok
    model gpt-4o, tokens 8 (0 cached) + 3, $0.00005
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: weather({"city": "Paris"}) #call_weather_0 [tool_calls]
    added gen_ai.input.messages, gen_ai.output.messages
llm 'chat gpt-4o' (gen_ai/2) ok
    model gpt-4o
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny"
    > assistant: "told: sunny" [stop]
    added gen_ai.input.messages, gen_ai.output.messages
llm 'chat gpt-4o' (gen_ai/2) error
    model gpt-4o, error_type BadRequestError
    < user: "!fail 400 1"
    added gen_ai.input.messages
"""
    )


def test_earlier_a_log_of_each_message(told_with_logs):
    assert (
        told_with_logs("genai_logs_earlier")
        == """\
llm 'chat gpt-4o' (gen_ai/1) ok
    model gpt-4o, tokens 8 (0 cached) + 3, $0.00005
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    > assistant: weather({"city": "Paris"}) #call_weather_0 [tool_calls]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
llm 'chat gpt-4o' (gen_ai/1) ok
    model gpt-4o
    < system: "Be short."
    < user: "!cached 1\\n!call weather {\\"city\\": \\"Paris\\"}"
    < assistant: weather({"city": "Paris"}) #call_weather_0
    < tool: #call_weather_0 = "sunny"
    > assistant: "told: sunny" [stop]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
llm 'chat gpt-4o' (gen_ai/1) error
    model gpt-4o, error_type BadRequestError
    < user: "!fail 400 1"
    added gen_ai.input.messages, gen_ai.provider.name
"""
    )
