import type { UnixNano } from "./time";

/** The trace of a row that no span tells of: it is nowhere but on this page. */
export const INFERRED = "inferred";

/** Whether a span with this id may be an inferred one: ids of those begin so, and others can. */
export function mayBeInferred(spanId: string): boolean {
  return /^(?:a000|7)/.test(spanId);
}

/** What a row follows from, where no span tells of it. */
export type Inferred =
  | {
      what: "conversation";
      turns: number;
      retries: number;
      unclear: number;
      /** The model calls with which it began, and with which it ended so far. */
      first: string;
      last: string;
    }
  | { what: "tool"; name: string; arguments: string; result: string | null; asking: string; next: string | null };

/** A call of a tool that an answer asks for, as the API infers it. */
export interface InferredTool {
  name: string;
  arguments: string;
  result: string | null;
  failed: boolean;
  start_time_unix_nano: UnixNano | null;
  end_time_unix_nano: UnixNano | null;
  recorded: boolean;
  /** Where its own span is, which is on this page where it was recorded. */
  span: { span_id: string } | null;
}

/** A model call as part of a conversation, as the API infers it. */
export interface InferredTurn {
  conversation: string;
  span_id: string;
  link: "begins" | "continues" | "retry" | "unclear";
  previous: { span_id: string } | null;
  /** Characters of its prompt by what they are. */
  sizes: Readonly<Record<string, number>>;
  tools: readonly InferredTool[];
}

/** Says what a row follows from. */
export function howInferred(inferred: Inferred): string {
  if (inferred.what === "tool") {
    return "Inferred from messages: an answer asked for it, and the next prompt has its result. It ran between the two, and is not counted.";
  }
  const { turns, retries, unclear } = inferred;
  const also = [
    retries > 0 && `${retries} tried again`,
    unclear > 0 && `${unclear} may also continue an equal call`,
  ].filter((each) => each !== false);
  const more = also.length ? ` (${also.join(", ")})` : "";
  return `Inferred from messages: ${turns} model calls${more}, each of which continues the one before. It is not counted.`;
}
