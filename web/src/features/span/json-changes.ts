import { ExactNumber, entriesOf, isContainer, jsonText } from "@/lib/json";
import { jsonPath, type Step } from "@/lib/json-path";
import { diffSequences } from "@/lib/sequence-diff";

/** One difference between two values; undefined if a side does not have it. */
export interface JsonChange {
  /** In the syntax of `jq`; `.` for the whole value. */
  path: string;
  before: unknown;
  after: unknown;
}

// At this depth values are compared as text: recursion has to end somewhere.
const DEEPEST = 16;

/** The differences between two values, as deep as possible: changed, added and removed members and items. */
export function jsonChanges(before: unknown, after: unknown): JsonChange[] {
  const found: JsonChange[] = [];
  compare(found, [], before, after);
  return found;
}

function compare(found: JsonChange[], steps: Step[], before: unknown, after: unknown): void {
  if (isContainer(before) && isContainer(after) && steps.length < DEEPEST) {
    const lists = [before, after].filter(Array.isArray);
    if (lists[0] && lists[1]) compareLists(found, steps, lists[0], lists[1]);
    else if (lists.length === 0) compareObjects(found, steps, before, after);
    else found.push({ path: jsonPath(steps), before, after });
  } else if (!isSame(before, after)) found.push({ path: jsonPath(steps), before, after });
}

function compareObjects(found: JsonChange[], steps: Step[], before: object, after: object): void {
  const were = new Map(entriesOf(before).map(({ key, value }) => [key, value]));
  const are = new Map(entriesOf(after).map(({ key, value }) => [key, value]));
  for (const key of new Set([...were.keys(), ...are.keys()])) {
    compare(found, [...steps, key], were.get(key), are.get(key));
  }
}

/** Skips items that stayed; compares the others in pairs, by their position in a gap. */
function compareLists(found: JsonChange[], steps: Step[], before: unknown[], after: unknown[]): void {
  const texts = (items: unknown[]) => items.map((item) => jsonText(item, 0));
  for (const { kept, before: was, after: is } of diffSequences(texts(before), texts(after))) {
    if (kept) continue;
    const size = Math.max(was[1] - was[0], is[1] - is[0]);
    for (let at = 0; at < size; at++) {
      const [x, y] = [was[0] + at, is[0] + at];
      const place = y < is[1] ? y : x;
      compare(found, [...steps, place], x < was[1] ? before[x] : undefined, y < is[1] ? after[y] : undefined);
    }
  }
}

function isSame(before: unknown, after: unknown): boolean {
  if (isContainer(before) && isContainer(after)) return jsonText(before, 0) === jsonText(after, 0);
  if (before instanceof ExactNumber && after instanceof ExactNumber) return before.text === after.text;
  return before === after;
}
