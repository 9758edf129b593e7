import { attributeNumber, type FullSpan } from "@/lib/full-span";
import { KEY } from "./semconv";

/** The tokens of a model call with their parts, and the cost. */
export interface Usage {
  input: number | null;
  /** Parts of `input`. */
  cacheRead: number | null;
  cacheWrite: number | null;
  output: number | null;
  /** A part of `output`. */
  reasoning: number | null;
  total: number | null;
  costUsd: number | null;
  /** Dollars per thousand tokens of this call, input and output together: a quotient, not a price. */
  costPerThousand: number | null;
  /** Milliseconds until the first piece of the answer. */
  firstMs: number | null;
  /** Output tokens per second, counted from the first piece of the answer if that is known. */
  tokensPerSecond: number | null;
  /** Whether `tokensPerSecond` counts from the first piece. */
  fromFirst: boolean;
}

/** Read the usage of a model call from its span. */
export function usageOf(span: FullSpan): Usage {
  const { input_tokens: input, output_tokens: output, cost_usd: costUsd, duration_ms: durationMs } = span;
  const total = input === null && output === null ? null : (input ?? 0) + (output ?? 0);
  const firstSeconds = attributeNumber(span, KEY.timeToFirstChunk);
  const firstMs = firstSeconds === null || firstSeconds < 0 ? null : firstSeconds * 1000;
  const streamedMs = durationMs !== null && firstMs !== null ? durationMs - firstMs : 0;
  // With a single piece there is no time between the first and the last.
  const fromFirst = streamedMs > 10;
  const writingMs = fromFirst ? streamedMs : (durationMs ?? 0);
  return {
    input,
    cacheRead: span.cached_tokens ?? attributeNumber(span, KEY.cacheRead),
    cacheWrite: attributeNumber(span, KEY.cacheWrite, "gen_ai.usage.cache_creation.input_tokens"),
    output,
    reasoning: attributeNumber(span, KEY.reasoning),
    total,
    costUsd,
    costPerThousand: costUsd !== null && total ? (costUsd / total) * 1000 : null,
    firstMs,
    tokensPerSecond: output && writingMs > 0 ? (output / writingMs) * 1000 : null,
    fromFirst,
  };
}
