/**
 * Where the words of a search occur in spans, for a page without a server: by the rules of the server, which only
 * searches the new texts of a prompt.
 */

type Within =
  | "name"
  | "error"
  | "messages"
  | "answer"
  | "arguments"
  | "result"
  | "input"
  | "output"
  | "attributes"
  | "events";

/** A place in a span that contains some of the words. */
export interface HitPlace {
  within: Within;
  path: string;
  text: string;
  marks: [number, number][];
}

/** A span that contains all of them. */
export interface Hit {
  span_id: string;
  places: HitPlace[];
}

/** A text of a span that is searched. */
export interface HitSource {
  kind: string;
  name: string;
  error: { type?: string | null; message?: string | null; traceback?: string | null } | null;
  input?: unknown;
  output?: unknown;
  attributes?: unknown;
  events?: readonly { name: string; attributes: unknown }[];
}

interface Leaf {
  within: Within;
  path: string;
  text: string;
  /** Whether it is part of a prompt, which repeats earlier messages. */
  isSaid: boolean;
}

const TERM = /"([^"]*)"|(\S+)/g;
const WORD = /[\p{L}\p{N}]+/gu;
const MOST_TERMS = 32;
const MOST_PLACES = 5;
const DEEPEST = 60;
const [BEFORE, AFTER] = [40, 160];
/** Kinds of spans whose texts are not new in later prompts; an agent's question counts for its first model call. */
const BRINGS = new Set(["llm", "tool"]);

/**
 * Returns where each span of a run contains the words of a text, or null if it does not; spans are passed in the order
 * they began.
 */
export function hitsFinder(q: string): (span: HitSource) => HitPlace[] | null {
  const terms = termsOf(q);
  const known = new Set<string>();
  return (span) => {
    if (terms.length === 0) return null;
    const held: { leaf: Leaf; terms: Set<RegExp> }[] = [];
    const texts = new Set<string>();
    for (const leaf of leavesOf(span)) {
      // An attribute that became the input or the output is that.
      if (texts.has(leaf.text) || (leaf.isSaid && known.has(leaf.text))) continue;
      const here = new Set(terms.filter((term) => leaf.text.search(term) >= 0));
      if (here.size === 0) continue;
      texts.add(leaf.text);
      held.push({ leaf, terms: here });
    }
    if (BRINGS.has(span.kind)) for (const text of texts) known.add(text);
    if (terms.some((term) => !held.some((each) => each.terms.has(term)))) return null;
    return held
      .toSorted((a, b) => b.terms.size - a.terms.size)
      .slice(0, MOST_PLACES)
      .map(({ leaf }) => placeOf(leaf, terms));
  };
}

/** Patterns for the terms: the words in this order, whatever is between them; a star at the end is any ending. */
function termsOf(q: string): RegExp[] {
  return [...q.matchAll(TERM)].slice(0, MOST_TERMS).flatMap(([, phrase, word]) => {
    const words = (phrase ?? word ?? "").match(WORD);
    if (!words) return [];
    const end = word?.endsWith("*") ? "" : "(?![\\p{L}\\p{N}])";
    return [new RegExp(`(?<![\\p{L}\\p{N}])${words.join("[^\\p{L}\\p{N}]+")}${end}`, "giu")];
  });
}

function placeOf({ within, path, text }: Leaf, terms: readonly RegExp[]): HitPlace {
  const first = Math.min(...terms.map((term) => text.search(term)).filter((at) => at >= 0));
  const begin = Math.max(0, first - BEFORE);
  const end = first + AFTER;
  const shown = text.slice(begin, end).replaceAll(/\s+/g, " ").trim();
  const line = `${begin > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""}`;
  return { within, path, text: line, marks: marksIn(line, terms) };
}

/** The start and end of each match, in characters as in the API. */
function marksIn(line: string, terms: readonly RegExp[]): [number, number][] {
  const found = terms
    .flatMap((term) => [...line.matchAll(term)].map((match) => [match.index, match.index + match[0].length] as const))
    .toSorted(([a], [b]) => a - b);
  const marks: [number, number][] = [];
  let end = 0;
  for (const [from, until] of found) {
    if (from < end) continue;
    marks.push([characters(line, from), characters(line, until)]);
    end = until;
  }
  return marks;
}

function characters(text: string, units: number): number {
  return [...text.slice(0, units)].length;
}

function* leavesOf({ kind, name, error, input, output, attributes, events }: HitSource): Generator<Leaf> {
  const failure = [error?.type, error?.message].filter(Boolean).join(": ");
  if (failure) yield { within: "error", path: "", text: failure, isSaid: false };
  if (error?.traceback) yield { within: "error", path: ".traceback", text: error.traceback, isSaid: false };
  const [given, got] = namesOf(kind);
  yield* within(got, "", read(output), DEEPEST, false);
  const asked = read(input);
  yield* within(given, "", asked, DEEPEST, holdsMessages(asked));
  yield { within: "name", path: "", text: name, isSaid: false };
  for (const [key, value] of Object.entries(attributes ?? {})) {
    const inside = read(value);
    yield* within("attributes", key, inside, DEEPEST, holdsMessages(inside));
  }
  for (const [at, event] of (events ?? []).entries()) {
    // Messages are in the prompt too, and each prompt repeats them.
    yield* within("events", `[${at}]`, event.attributes, DEEPEST, event.name.startsWith("gen_ai."));
  }
}

function namesOf(kind: string): [Within, Within] {
  if (kind === "llm") return ["messages", "answer"];
  return kind === "tool" || kind === "prompt" ? ["arguments", "result"] : ["input", "output"];
}

function* within(where: Within, path: string, value: unknown, deepest: number, isSaid: boolean): Generator<Leaf> {
  if (typeof value === "string") yield { within: where, path, text: value, isSaid };
  else if (value === null || value === undefined) return;
  else if (typeof value !== "object" || deepest === 0)
    yield { within: where, path, text: JSON.stringify(value), isSaid };
  else if (Array.isArray(value))
    for (const [at, each] of value.entries()) yield* within(where, `${path}[${at}]`, each, deepest - 1, isSaid);
  else
    for (const [key, each] of Object.entries(value)) yield* within(where, `${path}.${key}`, each, deepest - 1, isSaid);
}

/** A value of an attribute, which may be the JSON of one. */
function read(value: unknown): unknown {
  if (typeof value !== "string" || !/^[[{"]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function holdsMessages(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => typeof each === "object" && each !== null && "role" in each);
  if (typeof value !== "object" || value === null) return false;
  const members = value as Record<string, unknown>;
  return ["messages", "input", "contents"].some((key) => holdsMessages(members[key]));
}
