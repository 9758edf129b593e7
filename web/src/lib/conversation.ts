import { attribute, type FullSpan } from "./full-span";
import { type Message, readMessages, systemMessage } from "./messages";
import { KEY } from "./semconv";

/** What went to a model and what came back. */
export interface Conversation {
  /** System instructions first, also where they were recorded apart. */
  asked: Message[];
  answered: Message[];
}

/** Read the conversation of a model call. */
export function conversationOf(span: FullSpan): Conversation {
  const system = systemMessage(attribute(span, KEY.systemInstructions));
  const asked = readMessages(span.input, "user");
  return { asked: system ? [system, ...asked] : asked, answered: readMessages(span.output, "assistant") };
}

/** Whether an answer asks for the tool call of this id. */
export function asksFor(messages: readonly Message[], callId: string): boolean {
  return messages.some(({ parts }) => parts.some((part) => part.kind === "call" && part.id === callId));
}
