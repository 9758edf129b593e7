import { diffMessages, messageKey } from "@/lib/message-diff";
import { type Message, type Messages, type Part, textOf } from "@/lib/messages";

/** The messages that a model call adds to the previous ones. */
export interface NewMessages {
  /** Those added since the previous call, or all of them at the first call. */
  added: { message: Message; rewritten: boolean }[];
  /** How many of the added ones are already shown above: the previous answer and its tool results. */
  repeated: number;
  /** How many messages of the previous call are missing. */
  removed: number;
}

/**
 * The messages of a model call that are new to somebody who has read everything before it.
 *
 * @param before The previous model call.
 * @param hasTools Whether the tool calls in between have entries of their own, results included.
 */
export function newMessages(
  before: Pick<Messages, "input" | "output"> | null,
  asked: readonly Message[],
  hasTools: boolean,
): NewMessages {
  const result: NewMessages = { added: [], repeated: 0, removed: 0 };
  const echo = new Echo(before?.output ?? [], hasTools);
  for (const change of diffMessages(before?.input ?? [], asked)) {
    if (change.kind === "removed") result.removed++;
    else if (change.kind === "rewritten") result.added.push({ message: change.after, rewritten: true });
    else if (change.kind === "added") {
      if (echo.has(change.message)) result.repeated++;
      else result.added.push({ message: change.message, rewritten: false });
    }
  }
  return result;
}

/** The previous answer, to recognise it in the history. */
class Echo {
  readonly #keys: Set<string>;
  readonly #texts: Set<string>;
  readonly #calls: Set<string>;
  readonly #hasTools: boolean;

  constructor(answered: readonly Message[], hasTools: boolean) {
    this.#keys = new Set(answered.map(messageKey));
    this.#texts = new Set(answered.map((message) => textOf(message).trim()));
    this.#calls = new Set(answered.flatMap(({ parts }) => parts.flatMap(callId)));
    this.#hasTools = hasTools;
  }

  has(message: Message): boolean {
    if (this.#keys.has(messageKey(message))) return true;
    const { role, parts } = message;
    if (role === "assistant") {
      const known = parts.every((part) => part.type === "text" || part.type === "reasoning" || this.#isCalled(part));
      const text = textOf(message).trim();
      return known && this.#texts.size > 0 && (text === "" || this.#texts.has(text));
    }
    return (
      this.#hasTools &&
      parts.length > 0 &&
      parts.every((part) => part.type === "tool_call_response" && this.#isCalled(part))
    );
  }

  #isCalled(part: Part): boolean {
    return (
      (part.type === "tool_call" || part.type === "tool_call_response") && part.id !== null && this.#calls.has(part.id)
    );
  }
}

function callId(part: Part): string[] {
  return part.type === "tool_call" && part.id !== null ? [part.id] : [];
}

/** An answer without the tool calls that have entries of their own: each of `names` stands for one call. */
export function withoutListedCalls(answered: readonly Message[], names: readonly string[]): Message[] {
  const left = new Map<string, number>();
  for (const name of names) left.set(name, (left.get(name) ?? 0) + 1);
  return answered.flatMap((message) => {
    const parts = message.parts.filter((part) => {
      if (part.type !== "tool_call") return true;
      const there = left.get(part.name) ?? 0;
      if (there === 0) return true;
      left.set(part.name, there - 1);
      return false;
    });
    return parts.length ? [{ ...message, parts }] : [];
  });
}
