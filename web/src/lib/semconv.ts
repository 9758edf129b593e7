/** Attribute keys that the application reads. */
export const KEY = {
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  responseId: "gen_ai.response.id",
  finishReasons: "gen_ai.response.finish_reasons",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  systemInstructions: "gen_ai.system_instructions",
  toolDefinitions: "gen_ai.tool.definitions",
  cacheRead: "gen_ai.usage.cache_read.input_tokens",
  cacheWrite: "gen_ai.usage.cache_write.input_tokens",
  reasoning: "gen_ai.usage.reasoning.output_tokens",
  usageJson: "inspector.llm.usage_json",
  toolCallId: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  toolDescription: "gen_ai.tool.description",
  toolSource: "inspector.tool.source",
  toolServer: "inspector.tool.server",
  toolOutcome: "inspector.tool.outcome",
  correlationId: "inspector.correlation_id",
  callId: "inspector.call_id",
  agentDescription: "gen_ai.agent.description",
  agentClass: "mcp.agent.class",
  workflowType: "mcp.workflow.type",
  mcpMethod: "mcp.method.name",
  rpcMethod: "mcp.rpc.method",
  rpcId: "jsonrpc.request.id",
  rpcIdOld: "mcp.rpc.id",
  rpcRequest: "mcp.rpc.request_json",
  rpcResponse: "mcp.rpc.response_json",
  rpcTransport: "mcp.rpc.transport",
  networkTransport: "network.transport",
  rpcDirection: "mcp.rpc.direction",
  rpcStatus: "rpc.response.status_code",
  rpcErrorCode: "mcp.error.code",
  protocolVersion: "mcp.protocol.version",
  jsonrpcVersion: "mcp.jsonrpc.version",
  transportStatus: "mcp.transport.status",
  resourceUri: "mcp.resource.uri",
  resourceMimeType: "mcp.resource.mime_type",
  resourceBytes: "mcp.resource.bytes",
  promptName: "gen_ai.prompt.name",
  promptTemplate: "mcp.prompt.template_id",
  scopeName: "otel.scope.name",
  scopeVersion: "otel.scope.version",
} as const;

/** What the parameters of a model call begin with. */
export const REQUEST_PREFIX = "gen_ai.request.";
/** What a middleware changed stands under keys that begin so. */
export const MIDDLEWARE_PREFIX = "inspector.middleware";
/** `true` under a key and this says that the value of the key was shortened when it was recorded. */
export const TRUNCATED_SUFFIX = "_truncated";
