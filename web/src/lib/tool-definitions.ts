import { field, isContainer, parsedText } from "./json";

/** A tool as it was offered to a model. */
export interface ToolDefinition {
  name: string;
  description: string | null;
  /** The JSON Schema of its arguments, or the whole definition where it has none. */
  schema: unknown;
}

/** The tools of a recorded list of definitions, in the form of any API; what is no definition is left out. */
export function readTools(recorded: unknown): ToolDefinition[] {
  const given = typeof recorded === "string" ? parsedText(recorded) : recorded;
  // The answer of an MCP server, in its envelope.
  const held = field(given, "jsonrpc") === undefined ? given : field(given, "result");
  const list = Array.isArray(held) ? held : (field(held, "tools") ?? []);
  return (Array.isArray(list) ? list : []).flatMap((item) => {
    const declared = field(item, "functionDeclarations", "function_declarations");
    return Array.isArray(declared) ? declared.flatMap(tool) : tool(item);
  });
}

function tool(item: unknown): ToolDefinition[] {
  const inner = field(item, "function", "toolSpec") ?? item;
  const name = field(inner, "name") ?? field(item, "name", "type");
  if (typeof name !== "string") return [];
  const description = field(inner, "description");
  const schema = field(inner, "parameters", "input_schema", "inputSchema", "parameters_json_schema");
  return [
    {
      name,
      description: typeof description === "string" ? description : null,
      schema: isContainer(schema) ? schema : isContainer(inner) ? inner : null,
    },
  ];
}
