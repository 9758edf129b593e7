import { plural } from "./format";

/** How much was not recorded, by reason, as in the API. */
export interface Losses {
  readonly dropped: number;
  readonly unwritten: number;
  readonly unencodable: number;
  readonly undecodable: number;
  readonly unmatched: number;
  readonly dropped_segments: number;
}

/** Spans that an endpoint refused for good, as in the API. */
export interface Refusal {
  readonly endpoint: string;
  readonly spans: number;
  readonly reason: string;
}

/** A sentence for each endpoint that refused spans. */
export function refusalSentences(refused: readonly Refusal[]): string[] {
  return refused.map(
    ({ endpoint, spans, reason }) => `${endpoint} permanently refused ${plural(spans, "span")}: ${reason}`,
  );
}

/** A sentence for each reason; `of` says whose spans they were, as " of its processes". */
export function lossSentences(losses: Losses, of = ""): string[] {
  const were = (value: number) => (value === 1 ? "was" : "were");
  const calls = (value: number, why: string) =>
    value && `${plural(value, "call")}${of} ${were(value)} not recorded in full: ${why}`;
  const { undecodable, unmatched, dropped_segments: segments } = losses;
  return [
    calls(losses.dropped, "the queue was full"),
    calls(losses.unwritten, "the file could not be written"),
    calls(losses.unencodable, "no record could be made"),
    undecodable &&
      `${plural(undecodable, "line or span", "lines or spans")}${of} ${were(undecodable)} unreadable, and not stored`,
    unmatched && `${plural(unmatched, "call")}${of} ended that had not begun there`,
    segments && `${plural(segments, "spool file")} ${were(segments)} removed to make room before being stored`,
  ].filter((sentence) => sentence !== 0);
}
