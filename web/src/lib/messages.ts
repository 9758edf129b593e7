import { isContainer } from "./json";

/** One message of a call, as in the API. */
export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or any other role as recorded. */
  role: string;
  parts: Part[];
  /** Why the model stopped, if the message is an answer. */
  finish_reason?: string;
}

/** A part of a message, as in OpenTelemetry's conventions. */
export type Part =
  | { type: "text" | "reasoning"; content: string }
  | { type: "tool_call"; id: string | null; name: string; arguments: unknown }
  | { type: "tool_call_response"; id: string | null; response: unknown; is_error?: boolean }
  | Media
  /** Anything else, and the structured part of a tool's result. */
  | { type: "json" | "structured"; content: unknown };

/** An image, audio or a file: as data, or as an address that is never loaded. */
export type Media = {
  /** `image`, `audio`, `video` or `document`. */
  modality: string;
  mime_type: string | null;
} & (
  | {
      type: "blob";
      /** Base64. */
      content: string;
    }
  | { type: "uri"; uri: string }
  | { type: "file"; file_id: string }
);

/** The messages that a call received, system instructions first, and its answer. */
export interface Messages {
  input: Message[];
  output: Message[];
  /** The tools that a model could call, or that an MCP server lists. */
  tools: OfferedTool[];
}

/** A tool as it was offered to a model. */
export interface OfferedTool {
  name: string;
  description: string | null;
  /** The JSON Schema of its arguments, or the whole definition if it has no schema. */
  schema?: unknown;
}

/** The text of a message, without other parts. */
export function textOf(message: Message): string {
  return message.parts.flatMap((part) => (part.type === "text" ? part.content : [])).join("\n\n");
}

/** What one side says in messages of text alone, without its thoughts; null if there is more in them. */
export function onlyTextOf(messages: readonly Message[]): string | null {
  const parts = messages.flatMap((message) => message.parts).filter(({ type }) => type !== "reasoning");
  const ofOne = messages.every(({ role }) => role === messages[0]?.role);
  if (parts.length === 0 || !ofOne) return null;
  return parts.every(({ type }) => type === "text") ? messages.map(textOf).filter(Boolean).join("\n\n") : null;
}

/** The names of the tools that a conversation calls, by the ids of the calls. */
export function toolNames(messages: readonly Message[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "tool_call" && part.id !== null) names.set(part.id, part.name);
  }
  return names;
}

/** Whether messages ask for the tool call of this id. */
export function asksFor(messages: readonly Message[], callId: string): boolean {
  return messages.some(({ parts }) => parts.some((part) => part.type === "tool_call" && part.id === callId));
}

/** The text of an answer that only consists of text: a string, or a list of text blocks. */
export function onlyText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || value.length === 0 || value.length > 1000) return null;
  const texts = value.map((block) => (isTextBlock(block) ? block.text : null));
  return texts.every((text) => text !== null) ? texts.join("\n") : null;
}

function isTextBlock(block: unknown): block is { text: string } {
  return (
    isContainer(block) && "type" in block && block.type === "text" && "text" in block && typeof block.text === "string"
  );
}
