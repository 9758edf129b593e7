import { parsedText } from "./json";
import { field, type Part, readPart, readParts, textPart } from "./message-parts";

/** One message of a conversation, whichever API it was written for. */
export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or the word that was recorded. */
  role: string;
  parts: Part[];
  /** Why the model stopped, where the message is an answer. */
  finishReason: string | null;
}

const ROLES = new Map([
  ["human", "user"],
  ["ai", "assistant"],
  ["aimessagechunk", "assistant"],
  ["model", "assistant"],
  ["bot", "assistant"],
  ["developer", "system"],
  ["function", "tool"],
  ["ipython", "tool"],
]);
const ITEM_ROLES = new Map([
  ["function_call", "assistant"],
  ["custom_tool_call", "assistant"],
  ["mcp_call", "assistant"],
  ["reasoning", "assistant"],
  ["function_call_output", "tool"],
  ["custom_tool_call_output", "tool"],
]);
const HELD = ["messages", "input", "contents", "prompt", "choices", "candidates", "generations", "message", "output"];
const SYSTEM = ["system", "instructions", "system_instruction", "systemInstruction", "system_instructions"];
const MOST_NESTING = 4;

/**
 * The messages of a recorded prompt or answer.
 *
 * The recorder writes the parts of OpenTelemetry's conventions; the chat form of OpenAI, the blocks of Anthropic, the
 * contents of Gemini, whole requests and responses, JSON as text and plain text are read as well. Nothing is left out:
 * what no rule knows becomes a part that holds it as it is. `role` is the role of what has none.
 */
export function readMessages(recorded: unknown, role: string): Message[] {
  return read(recorded, role, 0);
}

/** The system instructions that are recorded apart from the messages, as a message. */
export function systemMessage(recorded: unknown): Message | null {
  if (recorded === undefined || recorded === null || recorded === "") return null;
  const held = typeof recorded === "string" ? (parsedText(recorded) ?? recorded) : recorded;
  const parts = readParts(held);
  return parts.length ? { role: "system", parts, finishReason: null } : null;
}

/** The text of a message, without what is not text. */
export function textOf(message: Message): string {
  return message.parts
    .filter((part) => part.kind === "text")
    .map((part) => part.text)
    .join("\n\n");
}

/** The names of the tools that a conversation calls, by the ids of the calls. */
export function toolNames(messages: readonly Message[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.kind === "call" && part.id !== null) names.set(part.id, part.name);
  }
  return names;
}

function read(recorded: unknown, role: string, nesting: number): Message[] {
  if (recorded === undefined || recorded === null || recorded === "") return [];
  if (typeof recorded === "string") {
    const held = nesting < MOST_NESTING ? parsedText(recorded) : undefined;
    return held === undefined ? [said(role, [textPart(recorded)])] : read(held, role, nesting + 1);
  }
  if (Array.isArray(recorded)) return listed(recorded, role, nesting);
  const whole = nesting < MOST_NESTING ? envelope(recorded, role, nesting) : null;
  return whole ?? [message(recorded, role)];
}

function listed(items: unknown[], role: string, nesting: number): Message[] {
  const isBlocks = items.length > 0 && !items.some((item) => isMessage(item) || isAnswer(item) || isList(item));
  if (isBlocks && !items.every((item) => typeof item === "string")) return [said(role, readParts(items))];
  return items.flatMap((item) =>
    (isList(item) || isAnswer(item)) && nesting < MOST_NESTING ? read(item, role, nesting + 1) : [message(item, role)],
  );
}

function isList(item: unknown): boolean {
  return Array.isArray(item) && item.length > 0;
}

/** One of several answers, each with its message inside. */
function isAnswer(item: unknown): boolean {
  if (field(item, "role") !== undefined) return false;
  const inner = field(item, "message", "delta") ?? field(item, "content");
  return typeof inner === "object" && inner !== null && isMessage(inner);
}

/** The messages of a whole request or response; null when it is a message itself. */
function envelope(recorded: unknown, role: string, nesting: number): Message[] | null {
  if (isMessage(recorded)) return null;
  if (isAnswer(recorded)) {
    const inner = read(field(recorded, "message", "delta", "content"), role, nesting + 1);
    return inner.map((each) => ended(each, recorded));
  }
  for (const name of HELD) {
    const held = field(recorded, name);
    if (held === undefined || (typeof held !== "object" && name !== "prompt" && name !== "input")) continue;
    const system = SYSTEM.map((each) => field(recorded, each)).find((each) => each !== undefined);
    const before = system === undefined ? null : systemMessage(field(system, "parts") ?? system);
    const inner = read(held, role, nesting + 1).map((each) => ended(each, recorded));
    return before ? [before, ...inner] : inner;
  }
  return null;
}

function isMessage(item: unknown): boolean {
  const type = field(item, "type");
  if (field(item, "role") !== undefined) return true;
  if (typeof type === "string" && ITEM_ROLES.has(type)) return true;
  const isOfLangChain = typeof type === "string" && (ROLES.has(type.toLowerCase()) || type === "system");
  return (isOfLangChain || field(item, "kind") !== undefined) && field(item, "content", "parts") !== undefined;
}

function message(item: unknown, role: string): Message {
  if (!isMessage(item)) return ended(said(role, [readPart(item)]), item);
  const type = field(item, "type");
  if (field(item, "role") === undefined && typeof type === "string" && ITEM_ROLES.has(type)) {
    return said(ITEM_ROLES.get(type) ?? role, [readPart(item)]);
  }
  return ended(said(roleOf(item, role), partsOf(item)), item);
}

function roleOf(item: unknown, otherwise: string): string {
  const found = field(item, "role", "type");
  if (typeof found !== "string" || found === "" || found === "message") return otherwise;
  return ROLES.get(found.toLowerCase()) ?? found;
}

function partsOf(item: unknown): Part[] {
  const content = field(item, "parts", "content");
  const callId = field(item, "tool_call_id", "tool_use_id");
  if (typeof callId === "string" && field(item, "parts") === undefined) {
    return [{ kind: "result", id: callId, value: content ?? null, failed: false }];
  }
  const thought = field(item, "reasoning_content", "reasoning", "thinking");
  const refusal = field(item, "refusal");
  const parts: Part[] = typeof thought === "string" && thought ? [{ kind: "reasoning", text: thought }] : [];
  parts.push(...readParts(content));
  if (typeof refusal === "string" && refusal) parts.push(textPart(refusal));
  const beside = field(item, "tool_calls", "toolCalls");
  const told = new Set(parts.map((part) => (part.kind === "call" ? part.id : null)));
  for (const call of Array.isArray(beside) ? beside : []) {
    const part = readPart(call);
    if (part.kind !== "call" || part.id === null || !told.has(part.id)) parts.push(part);
  }
  return parts;
}

function ended(made: Message, held: unknown): Message {
  const reason = field(held, "finish_reason", "finishReason", "stop_reason", "stopReason");
  return typeof reason === "string" && reason && made.finishReason === null ? { ...made, finishReason: reason } : made;
}

function said(role: string, parts: Part[]): Message {
  return { role, parts, finishReason: null };
}
