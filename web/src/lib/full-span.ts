import type { Kind, Status } from "./filter";
import { ExactNumber, isObject } from "./json";
import type { Messages } from "./messages";
import type { UnixNano } from "./time";

/** A span with everything that was recorded of it, so far as it is here. */
export interface FullSpan {
  seq: number;
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  session_id: string | null;
  kind: Kind;
  name: string;
  status: Status;
  hook: string | null;
  dialect: string | null;
  service: string | null;
  agent: string | null;
  model: string | null;
  tool: string | null;
  start_time_unix_nano: UnixNano;
  end_time_unix_nano: UnixNano | null;
  duration_ms: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  cost_usd: number | null;
  error: SpanError | null;
  /** The span of the same trace that counts for this call; null where this one does. */
  folded_into: string | null;
  input: unknown;
  output: unknown;
  /** What was said, as far as it came along. */
  messages: Messages;
  attributes: Record<string, unknown>;
  events: Happening[];
  links: SpanLink[];
  /** Values too long to come along, with their lengths in characters. */
  clipped: Record<string, number>;
}

export interface SpanError {
  type: string | null;
  message: string | null;
  traceback: string | null;
}

/** Something that happened during a span. */
export interface Happening {
  name: string;
  time: UnixNano | null;
  attributes: Record<string, unknown>;
}

/** Another span that one refers to. */
export interface SpanLink {
  traceId: string;
  spanId: string;
  attributes: Record<string, unknown>;
}

/** The attributes, events and links of a span as the API answers them, with what a sender left out filled in. */
export function fullSpan(event: object): FullSpan {
  const found = event as FullSpan & Record<string, unknown>;
  return {
    ...found,
    input: found.input ?? null,
    output: found.output ?? null,
    messages: found.messages ?? { input: [], output: [], tools: [] },
    attributes: isObject(found.attributes) ? found.attributes : {},
    events: list(found.events).map((each) => ({
      name: textIn(each, "name") ?? "",
      time: timeIn(each),
      attributes: isObject(each.attributes) ? each.attributes : {},
    })),
    links: list(found.links).map((each) => ({
      traceId: textIn(each, "trace_id") ?? "",
      spanId: textIn(each, "span_id") ?? "",
      attributes: isObject(each.attributes) ? each.attributes : {},
    })),
    clipped: isObject(found.clipped) ? (found.clipped as Record<string, number>) : {},
  };
}

/** The value of an attribute; undefined where there is none. */
export function attribute(span: FullSpan, key: string): unknown {
  return Object.hasOwn(span.attributes, key) ? span.attributes[key] : undefined;
}

/** An attribute as text, whichever scalar it is; null for nothing, lists and objects. */
export function attributeText(span: FullSpan, ...keys: string[]): string | null {
  for (const key of keys) {
    const value = attribute(span, key);
    if (typeof value === "string" && value !== "") return value;
    if (typeof value === "number" || typeof value === "boolean" || value instanceof ExactNumber) return String(value);
  }
  return null;
}

/** An attribute as a number. */
export function attributeNumber(span: FullSpan, ...keys: string[]): number | null {
  for (const key of keys) {
    const value = attribute(span, key);
    const number = typeof value === "string" && value !== "" ? Number(value) : value;
    if (typeof number === "number" && Number.isFinite(number)) return number;
    if (value instanceof ExactNumber) return Number(value.text);
  }
  return null;
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textIn(value: Record<string, unknown>, key: string): string | null {
  const found = value[key];
  return typeof found === "string" ? found : null;
}

function timeIn(value: Record<string, unknown>): UnixNano | null {
  const found = value.time_unix_nano;
  const text = typeof found === "number" || found instanceof ExactNumber ? String(found) : found;
  return typeof text === "string" && /^[0-9]{1,20}$/.test(text) ? text : null;
}
