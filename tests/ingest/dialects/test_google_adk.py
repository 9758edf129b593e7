def test_google_adks_own_spans(told):
    assert (
        told("google_adk")
        == """\
llm 'generate_content gemini-2.5-flash' (google_adk/2) ok
    agent forecaster, model gemini-2.5-flash, session_id session-1, tokens 20 (8 cached) + 5, $0.00001634
    < user: "How is the weather?"
    > assistant: weather({"city": "Paris"}) #weather_0, time({"city": "Paris"}) #time_1 [stop]
tool 'execute_tool weather' (google_adk/2) ok
    agent forecaster, tool weather
    < gen_ai.tool.call.arguments = {"city": "Paris"}
    > gen_ai.tool.call.result = {"sky": "sunny in Paris"}
tool 'execute_tool time' (google_adk/2) ok
    agent forecaster, tool time
    < gen_ai.tool.call.arguments = {"city": "Paris"}
    > gen_ai.tool.call.result = {"result": "noon in Paris"}
other 'execute_tool (merged)' (google_adk/2) ok
llm 'generate_content gemini-2.5-flash' (google_adk/2) ok
    agent forecaster, model gemini-2.5-flash, session_id session-1, tokens 20 (8 cached) + 5, $0.00001634
    < user: "How is the weather?"
    < assistant: weather({"city": "Paris"}) #weather_0, time({"city": "Paris"}) #time_1
    < user: #weather_0 = {"sky": "sunny in Paris"}, #time_1 = {"result": "noon in Paris"}
    > assistant: "It is sunny." [stop]
agent 'invoke_agent forecaster' (google_adk/2) ok
    agent forecaster, session_id session-1
workflow 'invoke_workflow forecaster' (google_adk/2) ok
    session_id session-1
other 'generate_content gemini-2.5-flash' (google_adk/2) ok
    agent forecaster, model gemini-2.5-flash, session_id session-1
tool 'execute_tool weather' (google_adk/1) ok
    agent forecaster, tool weather
    < gcp.vertex.agent.tool_call_args = {"city": "Paris"}
    > gcp.vertex.agent.tool_response = {"sky": "sunny in Paris"}
tool 'execute_tool time' (google_adk/1) ok
    agent forecaster, tool time
    < gcp.vertex.agent.tool_call_args = {"city": "Paris"}
    > gcp.vertex.agent.tool_response = {"result": "noon in Paris"}
other 'execute_tool (merged)' (google_adk/1) ok
    > gcp.vertex.agent.tool_response = [{"id": "adk-724abd4c-d883-4993-bbd6-6c353bd2df2c", "name": "weath…
llm 'call_llm' (google_adk/1) ok
    model gemini-2.5-flash, session_id session-1, tokens 20 (8 cached) + 5, $0.00001634
    < system: "Be short.\\n\\nYou are an agent. Your internal name is \\"forecaster\\"."
    < user: "How is the weather?"
    > assistant: weather({"city": "Paris"}) #None, time({"city": "Paris"}) #None [STOP]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.tool.definitions,
      gen_ai.provider.name
other 'generate_content gemini-2.5-flash' (google_adk/2) ok
    agent forecaster, model gemini-2.5-flash, session_id session-1
llm 'call_llm' (google_adk/1) ok
    model gemini-2.5-flash, session_id session-1, tokens 20 (8 cached) + 5, $0.00001634
    < system: "Be short.\\n\\nYou are an agent. Your internal name is \\"forecaster\\"."
    < user: "How is the weather?"
    < assistant: weather({"city": "Paris"}) #None, time({"city": "Paris"}) #None
    < user: #weather = {"sky": "sunny in Paris"}, #time = {"result": "noon in Paris"}
    > assistant: "It is sunny." [STOP]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.tool.definitions,
      gen_ai.provider.name
agent 'invoke_agent forecaster' (google_adk/2) ok
    agent forecaster, session_id session-1
other 'invocation' (google_adk/2) ok
"""
    )
