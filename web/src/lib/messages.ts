/** One message of a call, as the API gives it. */
export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or the word that was recorded. */
  role: string;
  parts: Part[];
  /** Why the model stopped, where the message is an answer. */
  finish_reason?: string;
}

/** A piece of a message, as OpenTelemetry's conventions spell it. */
export type Part =
  | { type: "text" | "reasoning"; content: string }
  | { type: "tool_call"; id: string | null; name: string; arguments: unknown }
  | { type: "tool_call_response"; id: string | null; response: unknown; is_error?: boolean }
  | Media
  /** What no rule of the API knows, and what a tool answered to programs. */
  | { type: "json" | "structured"; content: unknown };

/** An image, a sound or a file: as data, or as the place where it is. Never loaded from anywhere. */
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

/** What a call was told, system instructions first, and what it answered. */
export interface Messages {
  input: Message[];
  output: Message[];
  /** What a model could call, or what an MCP server lists. */
  tools: OfferedTool[];
}

/** A tool as it was offered to a model. */
export interface OfferedTool {
  name: string;
  description: string | null;
  /** The JSON Schema of its arguments, or the whole definition where it has none. */
  schema?: unknown;
}

/** The text of a message, without what is not text. */
export function textOf(message: Message): string {
  return message.parts.flatMap((part) => (part.type === "text" ? part.content : [])).join("\n\n");
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
