import { member, parsedText } from "./json";

/** A piece of a message. */
export type Part =
  | { kind: "text"; text: string }
  | { kind: "reasoning"; text: string }
  | { kind: "call"; id: string | null; name: string; arguments: unknown }
  | { kind: "result"; id: string | null; value: unknown; failed: boolean }
  | Media
  | { kind: "json"; value: unknown };

/** An image, a sound or a file: as data, or as the place where it is. Never loaded from anywhere. */
export interface Media {
  kind: "media";
  /** `image`, `audio`, `video` or `document`. */
  modality: string;
  mimeType: string | null;
  /** Base64, where the data itself was recorded. */
  data: string | null;
  /** An address or the id of a file, where only that was. */
  place: string | null;
}

/** The first of some members that is there and not null. */
export function field(value: unknown, ...names: string[]): unknown {
  for (const name of names) {
    const held = member(value, name);
    if (held !== undefined && held !== null) return held;
  }
  return undefined;
}

export function textPart(text: string): Part {
  return { kind: "text", text };
}

/** The parts of a message's content, whether it is a text, one block or a list of blocks. */
export function readParts(content: unknown): Part[] {
  if (content === undefined || content === null || content === "") return [];
  if (!Array.isArray(content)) return [readPart(content)];
  return content.filter((block) => block !== null && block !== undefined).map(readPart);
}

/** One content block of any API. */
export function readPart(block: unknown): Part {
  if (typeof block === "string") return textPart(block);
  const type = field(block, "type", "part_kind", "kind");
  const rule = typeof type === "string" ? BY_TYPE.get(type) : undefined;
  const made = rule?.(block) ?? byMember(block);
  return made ?? { kind: "json", value: block };
}

type Rule = (block: unknown) => Part | null;

function text(block: unknown): Part | null {
  const held = field(block, "text", "content", "refusal");
  if (typeof held !== "string") return null;
  return field(block, "thought") === true ? { kind: "reasoning", text: held } : textPart(held);
}

function reasoning(block: unknown): Part | null {
  const held = field(block, "thinking", "reasoning", "summary", "text", "content", "data");
  const joined = Array.isArray(held)
    ? held.map((each) => (typeof each === "string" ? each : field(each, "text", "content"))).join("\n")
    : held;
  return typeof joined === "string" ? { kind: "reasoning", text: joined } : null;
}

function call(block: unknown): Part | null {
  const inner = field(block, "function");
  const held = typeof inner === "object" ? inner : block;
  const name = field(held, "name", "tool_name", "toolName");
  if (typeof name !== "string") return null;
  const given = field(held, "arguments", "args", "input");
  return {
    kind: "call",
    id: idOf(field(block, "call_id", "id", "tool_call_id", "toolCallId", "toolUseId")),
    name,
    arguments: typeof given === "string" ? (parsedText(given) ?? given) : (given ?? null),
  };
}

function result(block: unknown): Part {
  return {
    kind: "result",
    id: idOf(field(block, "tool_use_id", "tool_call_id", "call_id", "toolUseId", "toolCallId", "id")),
    value: field(block, "response", "content", "output", "result") ?? null,
    failed: field(block, "is_error", "isError") === true,
  };
}

function media(block: unknown): Part | null {
  const inner = field(block, "source", "image_url", "input_audio", "audio", "file", "inline_data", "inlineData");
  const held = typeof inner === "object" ? inner : block;
  const direct = typeof inner === "string" ? inner : field(held, "uri", "url", "file_uri", "fileUri", "file_url");
  const data = field(held, "data", "content", "bytes", "base64", "file_data", "blob");
  const place = direct ?? field(held, "file_id", "fileId");
  const mimeType = field(held, "mime_type", "media_type", "mimeType", "format") ?? null;
  if (typeof place === "string" && place.startsWith("data:")) return inline(place, modalityOf(block));
  if (typeof data !== "string" && typeof place !== "string") return null;
  return {
    kind: "media",
    modality: modalityOf(block, mimeType),
    mimeType: typeof mimeType === "string" ? mimeType : null,
    data: typeof data === "string" ? data : null,
    place: typeof place === "string" ? place : null,
  };
}

function inline(address: string, modality: string): Media {
  const [head = "", data = ""] = address.slice(5).split(",", 2);
  const [mimeType = ""] = head.split(";");
  const isBase64 = head.endsWith(";base64");
  return {
    kind: "media",
    modality,
    mimeType: mimeType || null,
    data: isBase64 ? data : null,
    place: isBase64 ? null : address,
  };
}

function modalityOf(block: unknown, mimeType?: unknown): string {
  for (const told of [field(block, "modality"), field(block, "type"), mimeType]) {
    const found = ["image", "audio", "video"].find((each) => typeof told === "string" && told.includes(each));
    if (found) return found;
  }
  return "document";
}

function resource(block: unknown): Part | null {
  const inner = field(block, "resource") ?? block;
  const held = field(inner, "text");
  return typeof held === "string" ? textPart(held) : media(inner);
}

function json(block: unknown): Part | null {
  const value = member(block, "value");
  return value === undefined ? null : { kind: "json", value };
}

function idOf(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

const TYPES: readonly [string, Rule][] = [
  ["text input_text output_text user-prompt system-prompt refusal", text],
  ["thinking reasoning redacted_thinking", reasoning],
  ["tool_call tool_use function_call function tool-call server_tool_use mcp_tool_use custom_tool_call mcp_call", call],
  ["tool_call_response tool_result function_call_output tool-return tool-result mcp_tool_result", result],
  ["custom_tool_call_output web_search_tool_result code_execution_tool_result", result],
  ["image_url input_image image document video input_audio audio file input_file uri blob", media],
  ["resource resource_link", resource],
  ["json", json],
];
const BY_TYPE = new Map(TYPES.flatMap(([names, rule]) => names.split(" ").map((name) => [name, rule] as const)));

const within =
  (rule: Rule, name: string): Rule =>
  (block) =>
    rule(field(block, name));

const MEMBERS: readonly [string, Rule][] = [
  ["text", text],
  ["functionCall", within(call, "functionCall")],
  ["function_call", within(call, "function_call")],
  ["functionResponse", within(result, "functionResponse")],
  ["function_response", within(result, "function_response")],
  ["toolUse", within(call, "toolUse")],
  ["toolResult", within(result, "toolResult")],
  ["function", call],
  ["inlineData", media],
  ["inline_data", media],
];

/** Blocks that are told apart by a member instead of a type: those of Gemini, Bedrock and OpenAI's tool calls. */
function byMember(block: unknown): Part | null {
  for (const [name, rule] of MEMBERS) {
    const made = field(block, name) === undefined ? null : rule(block);
    if (made) return made;
  }
  return null;
}
