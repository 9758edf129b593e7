def test_an_agent_of_langchain_by_langsmith(told):
    assert (
        told("langsmith_otel")
        == """\
workflow 'forecaster' (langsmith/1) ok
    agent forecaster, session_id session-1
    < gen_ai.prompt = {"messages":[["user","How is the weather?"]]}
    > gen_ai.completion = {"messages":[{"content":"How is the weather?","additional_kwargs":{},"response_…
other 'model' (langsmith/1) ok
    agent forecaster, session_id session-1
    < gen_ai.prompt = {"messages":[{"content":"How is the weather?","additional_kwargs":{},"response_meta…
    > gen_ai.completion = {"output":[{"graph":null,"update":{"messages":[{"content":"","additional_kwargs…
llm 'Model' (langsmith/1) ok
    agent forecaster, session_id session-1, tokens 20 (8 cached) + 5
    < user: "How is the weather?"
    > assistant: weather({"city": "Paris"}) #call_1
    added gen_ai.provider.name, gen_ai.input.messages, gen_ai.output.messages
other 'tools' (langsmith/1) ok
    agent forecaster, session_id session-1
    < gen_ai.prompt = {"input":[{"name":"weather","args":{"city":"Paris"},"id":"call_1","type":"tool_call…
    > gen_ai.completion = {"messages":[{"content":"sunny in Paris","additional_kwargs":{},"response_metad…
tool 'weather' (langsmith/1) ok
    agent forecaster, tool weather, session_id session-1
    < gen_ai.prompt = {"city":"Paris"}
    > gen_ai.completion = {"output":{"content":"sunny in Paris","additional_kwargs":{},"response_metadata…
other 'model' (langsmith/1) ok
    agent forecaster, session_id session-1
    < gen_ai.prompt = {"messages":[{"content":"How is the weather?","additional_kwargs":{},"response_meta…
    > gen_ai.completion = {"output":[{"graph":null,"update":{"messages":[{"content":"It is sunny in Paris…
llm 'Model' (langsmith/1) ok
    agent forecaster, session_id session-1
    < user: "How is the weather?"
    < assistant: weather({"city": "Paris"}) #call_1
    < tool: #call_1 = "sunny in Paris"
    > assistant: "It is sunny in Paris."
    added gen_ai.provider.name, gen_ai.input.messages, gen_ai.output.messages
tool 'broken' (langsmith/1) error
    tool broken, error_type Exception
    < gen_ai.prompt = {}
    > gen_ai.completion = {}
"""
    )
