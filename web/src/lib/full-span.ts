import type { Kind, Status } from "./filter";
import { ExactNumber, isObject } from "./json";
import type { Messages } from "./messages";
import type { UnixNano } from "./time";

/** A span with everything that was recorded about it, as far as it is loaded. */
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
  /** The span of the same trace that counts for this call; null if this one does. */
  folded_into: string | null;
  input: unknown;
  output: unknown;
  /** The messages, as far as they are loaded. */
  messages: Messages;
  attributes: Record<string, unknown>;
  events: Happening[];
  links: SpanLink[];
  /** Values that were too long to be loaded with the span, with their lengths in characters. */
  clipped: Record<string, number>;
}

export interface SpanError {
  type: string | null;
  message: string | null;
  traceback: string | null;
}

/** A span event. */
export interface Happening {
  name: string;
  time: UnixNano | null;
  attributes: Record<string, unknown>;
}

/** A link to another span. */
export interface SpanLink {
  traceId: string;
  spanId: string;
  attributes: Record<string, unknown>;
}

/** A span from the API with its attributes, events and links; what a sender omitted is filled in. */
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

/** The value of an attribute; undefined if there is none. */
export function attribute(span: FullSpan, key: string): unknown {
  return Object.hasOwn(span.attributes, key) ? span.attributes[key] : undefined;
}

/** The first of these attributes as text, if it is a scalar; null for none, and for lists and objects. */
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
