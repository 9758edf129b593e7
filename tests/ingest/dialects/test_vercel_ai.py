def test_the_ai_sdks_own_spans(told):
    assert (
        told("vercel_ai")
        == """\
llm 'ai.generateText.doGenerate' (vercel_ai/1) ok
    agent forecaster, model gpt-4o, session_id session-1, tokens 20 (8 cached) + 5, $0.00009
    < system: "Be short."
    < user: "How is the weather?"
    > assistant: reasoning "Where?", weather({"city": "Paris"}) #call_1, broken({}) #call_2 [tool-calls]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.tool.definitions,
      gen_ai.provider.name
tool 'ai.toolCall' (vercel_ai/1) error
    agent forecaster, tool broken, session_id session-1, error_type Error
    < ai.toolCall.args = {}
    added gen_ai.tool.call.id
tool 'ai.toolCall' (vercel_ai/1) ok
    agent forecaster, tool weather, session_id session-1
    < ai.toolCall.args = {"city":"Paris"}
    > ai.toolCall.result = "sunny in Paris"
    added gen_ai.tool.call.id
llm 'ai.generateText.doGenerate' (vercel_ai/1) ok
    agent forecaster, model gpt-4o, session_id session-1, tokens 20 (8 cached) + 5, $0.00009
    < system: "Be short."
    < user: "How is the weather?"
    < assistant: reasoning "Where?", weather({"city": "Paris"}) #call_1, broken({}) #call_2
    < tool: #call_1 = "sunny in Paris", #call_2 = "no weather today"
    > assistant: "It is sunny." [stop]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.tool.definitions,
      gen_ai.provider.name
agent 'ai.generateText' (vercel_ai/1) ok
    agent forecaster, model gpt-4o, session_id session-1
    < ai.prompt = {"system":"Be short.","prompt":"How is the weather?"}
    > ai.response.text = It is sunny.
llm 'ai.streamText.doStream' (vercel_ai/1) ok
    agent greeter, model gpt-4o, session_id session-1, tokens 20 (8 cached) + 5, $0.00009
    < user: "Say hello."
    > assistant: "Hello." [stop]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
agent 'ai.streamText' (vercel_ai/1) ok
    agent greeter, model gpt-4o, session_id session-1
    < ai.prompt = {"prompt":"Say hello."}
    > ai.response.text = Hello.
llm 'ai.streamText.doStream' (vercel_ai/1) error
    agent cutter, model gpt-4o, session_id session-1
    < user: "Say hello."
    > assistant: "Hel" [error]
    added gen_ai.input.messages, gen_ai.output.messages, gen_ai.provider.name
agent 'ai.streamText' (vercel_ai/1) error
    agent cutter, model gpt-4o, session_id session-1
    < ai.prompt = {"prompt":"Say hello."}
    > ai.response.text = Hel
llm 'ai.embed.doEmbed' (vercel_ai/1) ok
    agent embedder, model text-embedding-3-small, session_id session-1, tokens 11 (0 cached) + None, $0.00000022
    < user: "A \\"word\\"."
    added gen_ai.input.messages, gen_ai.provider.name, gen_ai.request.model
other 'ai.embed' (vercel_ai/1) ok
    agent embedder, model text-embedding-3-small, session_id session-1
    < ai.value = "A \\"word\\"."
"""
    )
