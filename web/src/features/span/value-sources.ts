import { ExactNumber, entriesOf, isContainer, jsonText, scalarText } from "@/lib/json";
import type { Step } from "@/lib/json-path";
import { type Message, onlyText, type Part } from "@/lib/messages";
import { valuePath } from "@/lib/same-value";

/** A value of a call's arguments: a number or a text that is long enough to be recognised. */
export interface ArgumentValue {
  path: string;
  text: string;
  isNumber: boolean;
}

/** The newest message with a value, and the text around it; marks count characters. */
export interface ValueSource {
  message: Message;
  /** From 1. */
  place: number;
  line: string;
  marks: [number, number][];
}

const [SHORTEST, LONGEST] = [4, 200];
/** A single digit stands in most messages by chance: the 2 of two guests in "2 nights". */
const SHORTEST_NUMBER = 2;
const MOST_VALUES = 20;
const DEEPEST = 20;
const [BEFORE, AFTER] = [24, 120];

/** The values to look for, in the order of the arguments. */
export function argumentValues(args: unknown): ArgumentValue[] {
  return [...valuesIn(args, [])].slice(0, MOST_VALUES);
}

function* valuesIn(value: unknown, steps: Step[]): Generator<ArgumentValue> {
  const path = valuePath(steps);
  if (typeof value === "number" || value instanceof ExactNumber) {
    const text = scalarText(value);
    if (text.length >= SHORTEST_NUMBER) yield { path, text, isNumber: true };
  } else if (typeof value === "string") {
    if (value.length >= SHORTEST && value.length <= LONGEST) yield { path, text: value, isNumber: false };
  } else if (isContainer(value) && steps.length < DEEPEST) {
    for (const { key, value: held } of entriesOf(value)) yield* valuesIn(held, [...steps, key]);
  }
}

/** The newest message that has a value word for word: a model repeats what others said, so its own come last. */
export function sourceOf(value: ArgumentValue, messages: readonly Message[]): ValueSource | null {
  const pattern = patternOf(value);
  const isOwn = (message: Message) => message.role === "assistant";
  for (const own of [false, true]) {
    for (const [at, message] of [...messages.entries()].reverse()) {
      if (isOwn(message) !== own) continue;
      for (const text of message.parts.map(textOf)) {
        const found = pattern.exec(text);
        if (found) return { message, place: at + 1, ...around(text, found.index, found.index + found[0].length) };
      }
    }
  }
  return null;
}

/** Matches a value as a text or inside JSON, and not as a part of a longer word or number. */
export function patternOf({ text, isNumber }: ArgumentValue, flags = "u"): RegExp {
  const spellings = [...new Set([text, JSON.stringify(text).slice(1, -1)])].map(escaped).join("|");
  if (isNumber) return new RegExp(`(?<![\\p{L}\\p{N}_.-])(?:${spellings})(?![\\p{L}\\p{N}_]|\\.\\p{N})`, flags);
  const before = /^[\p{L}\p{N}_]/u.test(text) ? "(?<![\\p{L}\\p{N}_])" : "";
  const after = /[\p{L}\p{N}_]$/u.test(text) ? "(?![\\p{L}\\p{N}_])" : "";
  return new RegExp(`${before}(?:${spellings})${after}`, flags);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function textOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.content;
    case "tool_call":
      return jsonText(part.arguments, 0);
    case "tool_call_response":
      return onlyText(part.response) ?? jsonText(part.response, 0);
    case "json":
    case "structured":
      return jsonText(part.content, 0);
    default:
      return "";
  }
}

function around(text: string, from: number, until: number): Pick<ValueSource, "line" | "marks"> {
  const begin = Math.max(0, from - BEFORE);
  const end = until + AFTER;
  const before = `${begin > 0 ? "…" : ""}${inLine(text.slice(begin, from)).trimStart()}`;
  const hit = inLine(text.slice(from, until));
  const after = `${inLine(text.slice(until, end)).trimEnd()}${end < text.length ? "…" : ""}`;
  const start = [...before].length;
  return { line: before + hit + after, marks: [[start, start + [...hit].length]] };
}

function inLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
