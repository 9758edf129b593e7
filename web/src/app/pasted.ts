/** The meaning of a pasted id or address. */
export type Pasted =
  | { what: "trace"; traceId: string }
  | { what: "span"; spanId: string; traceId: string | null }
  /** A page of the inspector, as the part of its address after the `#`. */
  | { what: "page"; path: string };

const PLACE = /^\/(?:traces\/[0-9a-f]{32}|sessions|events|stats)?(?:\?[^#\s]*)?$/;
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Read a trace id, a span id, both of them, a `traceparent`, or the address of a page; null for anything else. */
export function pasted(text: string): Pasted | null {
  const trimmed = text.trim();
  const hash = trimmed.indexOf("#/");
  if (hash >= 0) {
    const path = trimmed.slice(hash + 1);
    return PLACE.test(path) ? { what: "page", path } : null;
  }
  const low = trimmed.toLowerCase();
  const parent = TRACEPARENT.exec(low);
  if (parent) return { what: "span", traceId: parent[1] ?? null, spanId: parent[2] ?? "" };
  const ids = low
    .split(/[\s,:/]+/)
    .map((part) => part.replaceAll("-", ""))
    .filter(Boolean);
  if (ids.length > 2 || !ids.every((id) => /^[0-9a-f]+$/.test(id))) return null;
  const traceId = ids.find((id) => id.length === 32) ?? null;
  const spanId = ids.find((id) => id.length === 16) ?? null;
  if (ids.length !== Number(traceId !== null) + Number(spanId !== null)) return null;
  if (spanId) return { what: "span", spanId, traceId };
  return traceId ? { what: "trace", traceId } : null;
}
