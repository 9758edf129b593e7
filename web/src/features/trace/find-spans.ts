import type { SpanRow } from "@/lib/spans";

/** Rows in `order` whose name, agent, model, tool or type of error contains a text, whatever its case. */
export function findSpans(rows: readonly SpanRow[], order: Iterable<number>, text: string): number[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  // A trace repeats a few names many times.
  const known = new Map<string, boolean>();
  function has(value: string | null): boolean {
    if (value === null) return false;
    let answer = known.get(value);
    if (answer === undefined) {
      answer = value.toLowerCase().includes(wanted);
      known.set(value, answer);
    }
    return answer;
  }
  const found: number[] = [];
  for (const at of order) {
    const row = rows[at] as SpanRow;
    if (has(row.name) || has(row.agent) || has(row.model) || has(row.tool) || has(row.errorType)) found.push(at);
  }
  return found;
}
