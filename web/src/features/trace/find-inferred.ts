import type { Inferred } from "@/lib/inferred";
import { jsonText, parseJson } from "@/lib/json";
import { termsIn, wordsIn } from "./find-words";

/** Where words are in an inferred tool call, in the form of the API's hits. */
export interface InferredPlace {
  within: "arguments" | "result";
  path: string;
  text: string;
  marks: [begin: number, end: number][];
}

type InferredTool = Extract<Inferred, { what: "tool" }>;

const BEFORE = 40;
const AFTER = 160;

/** Finds the first of the words in an inferred tool call, if it contains all of them. */
export function inferredPlacer(search: string): (tool: InferredTool) => InferredPlace | null {
  const [words, terms] = [wordsIn(search), termsIn(search)];
  return (tool) => (words ? placeOf(tool, words, terms) : null);
}

function placeOf(tool: InferredTool, words: RegExp, terms: readonly RegExp[]): InferredPlace | null {
  const sides = [
    { within: "arguments", text: plain(tool.arguments) },
    { within: "result", text: plain(tool.result ?? "") },
  ] as const;
  if (!terms.every((term) => sides.some(({ text }) => text.search(term) >= 0))) return null;
  const held = sides.find(({ text }) => text.search(words) >= 0);
  return held ? { within: held.within, path: "", ...around(held.text, words) } : null;
}

/** JSON without its escapes; any other text as it is. */
function plain(text: string): string {
  try {
    return jsonText(parseJson(text), 0);
  } catch {
    return text;
  }
}

function around(text: string, words: RegExp): Pick<InferredPlace, "text" | "marks"> {
  const first = text.search(words);
  const [begin, end] = [Math.max(0, first - BEFORE), first + AFTER];
  const shown = `${begin > 0 ? "…" : ""}${text.slice(begin, end)}${end < text.length ? "…" : ""}`.replace(/\s/g, " ");
  // Marks count characters, not halves of them.
  const at = (index: number) => [...shown.slice(0, index)].length;
  const marks = [...shown.matchAll(words)].map(
    ({ 0: word, index }) => [at(index), at(index + word.length)] as [number, number],
  );
  return { text: shown, marks };
}
