import type { UnixNano } from "./time";

/** The trace id of inferred rows: they have no span, and exist only on this page. */
export const INFERRED = "inferred";

/** Whether a span with this id may be inferred: inferred ids begin like this, but others can too. */
export function mayBeInferred(spanId: string): boolean {
  return /^(?:a000|7)/.test(spanId);
}

/** How a row without a span was inferred. */
export type Inferred =
  | {
      what: "conversation";
      turns: number;
      retries: number;
      unclear: number;
      /** The first model call, and the last so far. */
      first: string;
      last: string;
    }
  | { what: "tool"; name: string; arguments: string; result: string | null; asking: string; next: string | null };

/** A tool call that an answer asks for, as inferred by the API. */
export interface InferredTool {
  name: string;
  arguments: string;
  result: string | null;
  failed: boolean;
  start_time_unix_nano: UnixNano | null;
  end_time_unix_nano: UnixNano | null;
  recorded: boolean;
  /** Its recorded span; null if it has none. */
  span: { span_id: string } | null;
}

/** A model call as part of a conversation, as inferred by the API. */
export interface InferredTurn {
  conversation: string;
  span_id: string;
  link: "begins" | "continues" | "retry" | "unclear";
  previous: { span_id: string } | null;
  /** Characters of its prompt by part. */
  sizes: Readonly<Record<string, number>>;
  tools: readonly InferredTool[];
}

/** Explains how a row was inferred. */
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
