"""The compression dictionary: what the attributes of nearly every span have in common.

It must never change, because stored texts could not be read any more; a better one has to be added next to it.
"""

from typing import Final

_LINES = rb"""
{"pieces":["{\"role\":\"tool\",\"tool_call_id\":\"call_\",\"name\":\"\",\"content\":",[1],"}"]}
{"pieces":["{\"role\":\"system\",\"content\":[{\"type\":\"text\",\"text\":",[1],"}]}"]}
{"pieces":["{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":",[1],"}]}"]}
{"pieces":["{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":",[1],"}]}"]}
"mcp.tool.output_json":"gen_ai.tool.call.result","mcp.tool.input_json":"gen_ai.tool.call.arguments",
"gen_ai.tool.definitions":"gen_ai.system_instructions":
"inspector.workflow.input_json":"mcp.workflow.output_json":"inspector.agent.output_json":
{"inspector.agent.input_json":{"pieces":["",[1],""],"own":true},
"mcp.result.agent_call_json":{"pieces":["",[1],""],"own":true}}
"pieces":["{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_
\"type\":\"function\",\"function\":{\"name\":\"\",\"arguments\":\"{\\\"
{"mcp.llm.prompt_json":{"pieces":["{\"model\":\"\",\"max_tokens\":1024,\"temperature\":0.2,
\"stream\":false,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"
\"system\":\"input\":\"messages\":","[",[65,-1,[-1,4,20],[2,1,20],-63],"]","}"],"last":,"strings":[1,-63,
"gen_ai.input.messages":{"pieces":["[",[129,-63,-15],"]"],"last":,"by":", "},
"mcp.llm.response_json":{"pieces":["{\"id\":\"chatcmpl-resp_msg_\",\"choices\":[{\"finish_reason\":
\"stop\",\"index\":0,\"logprobs\":null,\"message\":{\"content\":",[1],",\"refusal\":null,
\"role\":\"assistant\",\"annotations\":null,\"audio\":null,\"function_call\":null,
\"tool_calls\":null}}],\"created\":17,\"model\":\"gpt-4.1\",\"object\":\"chat.completion\",
\"metadata\":null,\"moderation\":null,\"service_tier\":null,\"system_fingerprint\":null,\"usage\":{
\"completion_tokens\":,\"prompt_tokens\":,\"total_tokens\":,\"completion_tokens_details\":null,
\"prompt_tokens_details\":null}}"],"own":true},
{\"id\":\"msg_\",\"container\":null,\"content\":[{\"citations\":null,\"text\":",[1],",
\"type\":\"text\"}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,\"type\":\"message\",
\"usage\":{\"cache_creation\":null,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,
\"input_tokens\":,\"output_tokens\":,\"server_tool_use\":null,\"service_tier\":null}}
{\"model\":\"\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":
\"text\",\"text\":",[1],"}]},\"finish_reason\":\"tool_calls\"}]}
"gen_ai.output.messages":{"pieces":["[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",
\"content\":",[1],"}],\"finish_reason\":\"stop\"}]"],"own":true}}
"code.file.path":"code.line.number":,"code.function.name":"","error.type":"exception.type":"ValueError",
"exception.message":"exception.stacktrace":"mcp.error.message":"inspector.status":"error",
"mcp.status.code":"error","inspector.tool.outcome":"executed","inspector.tool.reference":"","user.id":""
"http.request.method":"POST","http.response.status_code":200,"http.route":"/","url.path":"/","url.scheme":"http",
"db.system.name":"db.query.text":"rpc.system":"server.address":"localhost","server.port":443,
"input.value":"output.value":"input.mime_type":"application/json","output.mime_type":"application/json",
"openinference.span.kind":"LLM","llm.model_name":"llm.token_count.prompt":"llm.token_count.completion":
"llm.input_messages.0.message.role":"llm.output_messages.0.message.content":"traceloop.span.kind":
"traceloop.entity.name":"gen_ai.system":"openai","llm.request.type":"chat","logfire.msg":"logfire.json_schema":
"gen_ai.prompt.0.content":"gen_ai.completion.0.content":"ai.operationId":"metadata":"tags":[]
{"gen_ai.operation.name":"execute_tool","inspector.span.type":"rpc","mcp.method.name":"tools/call",
"mcp.rpc.method":"tools/call","jsonrpc.request.id":"1","mcp.rpc.id":"1","mcp.jsonrpc.version":"2.0",
"mcp.rpc.direction":"outbound","mcp.rpc.transport":"stdio","network.transport":"pipe","mcp.rpc.duration_ms":,
"mcp.transport.status":"connected","mcp.protocol.version":"2025-11-25","mcp.session.id":"",
"mcp.rpc.request_json":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{
\"name\":\"\",\"arguments\":{","mcp.rpc.response_json":"{\"jsonrpc\":\"2.0\",\"id\":1,
\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}],\"isError\":false}}",
"inspector.rpc.server_command":["python","-m",""]
{"gen_ai.operation.name":"execute_tool","inspector.span.type":"tool.call","gen_ai.tool.name":"search",
"mcp.tool.name":"search","gen_ai.tool.type":"function","gen_ai.tool.call.id":"call_","inspector.tool.source":
"function","inspector.tool.server":"mcp","gen_ai.tool.description":"","gen_ai.tool.call.arguments":"{\"query\":
\"\"}","mcp.tool.input_json":"{\"query\":\"","gen_ai.tool.call.result":"{\"content\":[{\"type\":
\"text\",\"text\":\"","mcp.tool.output_json":"{\"text\":\"","mcp.tool.structured_output_json":"{\"result\":
{"gen_ai.operation.name":"invoke_agent","inspector.span.type":"agent.call","gen_ai.agent.name":"agent",
"mcp.agent.name":"agent","mcp.agent.class":"Agent","inspector.hook":"tool_call","agent_call","workflow_run",
"inspector.correlation_id":"session.id":"gen_ai.conversation.id":"langgraph.node":"inspector.thread.id":
{"gen_ai.operation.name":"chat","inspector.span.type":"llm.generate","gen_ai.request.model":"gpt-4.1",
"mcp.llm.model":"claude-sonnet-gemini-gpt-5-mini","gen_ai.provider.name":"anthropic","mcp.llm.provider":"openai",
"url.full":"http://127.0.0.1:https://api.openai.com/v1/chat/completions","server.address":"127.0.0.1",
"server.port":443,"gen_ai.request.max_tokens":1024,"gen_ai.request.temperature":0.2,
"gen_ai.request.stream":false,"gen_ai.response.id":"chatcmpl-","gen_ai.response.model":"gpt-4.1",
"gen_ai.response.finish_reasons":["tool_calls"],"mcp.stop_reason":"tool_calls","end_turn",["stop"],"stop",
"gen_ai.response.time_to_first_chunk":0.,"gen_ai.output.type":"text","gen_ai.usage.input_tokens":100,
"gen_ai.usage.output_tokens":10,"gen_ai.usage.cache_read.input_tokens":0,"thread.id":14,
"inspector.task":"Task-1@7f","inspector.hook":"llm_generate","inspector.call_id":"",
"inspector.emitter":"langchain","pydantic_ai","toolkit","openai","inspector.status":"ok","mcp.status.code":"ok",
"gen_ai.agent.name":"agent","inspector.llm.usage_json":"{\"completion_tokens\":,\"prompt_tokens\":,
\"total_tokens\":,\"completion_tokens_details\":null,\"prompt_tokens_details\":null}",
\"input_tokens\":,\"output_tokens\":,\"input_token_details\":{},\"cached_tokens\":0,
"host.name":"","process.pid":,"telemetry.sdk.language":"python","inspector.run.id":""}
"""

SPANS: Final = _LINES.replace(b"\n", b"")
"""JSON around long strings, of the column ``shared`` and of attributes, the most common last."""

TABLES: Final = bytes.fromhex(
    "37a430ec88aea54b3110c092341d333003333003330440818ab5dde99050b3b3ad6db977e2a6b243d82eda157c6a222222326dab"
    "a00c7b222b1ae3000000060443626121855afa010480c09218112090924b4461e0300c0000e2400c1302308881300600180a3152"
    "04000000000084cf028333892c14890402711cc8f4244a39ed6600000000010000000400000008000000"
)
"""The header of a zstd dictionary (RFC 8878, 5): entropy tables, so that a frame need not contain them.

Computed from attributes and messages with invented words and those of docs/, not from anybody's recordings.
"""
