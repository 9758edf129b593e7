import { jsonText, plainText } from "./json";
import type { Media, Message, Part } from "./messages";
import { diffSequences } from "./sequence-diff";

/** A change of messages between two calls. */
export type Change =
  | { kind: "same"; messages: Message[] }
  | { kind: "added"; message: Message }
  | { kind: "removed"; message: Message }
  | { kind: "rewritten"; before: Message; after: Message };

/** The number of messages by kind of change. */
export interface ChangeCounts {
  same: number;
  added: number;
  removed: number;
  rewritten: number;
}

/**
 * The changes from one list of messages to the next.
 *
 * Messages are compared as a whole; if a replaced message and its replacement have the same role and share much of
 * their text, they are one rewritten message.
 */
export function diffMessages(before: readonly Message[], after: readonly Message[]): Change[] {
  const changes: Change[] = [];
  for (const stretch of diffSequences(before.map(messageKey), after.map(messageKey))) {
    const old = before.slice(...stretch.before);
    const now = after.slice(...stretch.after);
    if (stretch.kept) changes.push({ kind: "same", messages: now });
    else changes.push(...replaced(old, now));
  }
  return changes;
}

export function countChanges(changes: readonly Change[]): ChangeCounts {
  const counts = { same: 0, added: 0, removed: 0, rewritten: 0 };
  for (const change of changes) counts[change.kind] += change.kind === "same" ? change.messages.length : 1;
  return counts;
}

/** A text that is the same for equal messages. */
export function messageKey(message: Message): string {
  return `${message.role}\n${jsonText(
    message.parts.map((part) => ({ ...part })),
    0,
  )}`;
}

/** A message as one text, for a comparison of words. */
export function wholeText(message: Message): string {
  return message.parts.map(partText).join("\n\n");
}

function partText(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.content;
    case "tool_call":
      return `${part.name}(${plainText(part.arguments)})`;
    case "tool_call_response":
      return plainText(part.response);
    case "json":
    case "structured":
      return plainText(part.content);
    case "blob":
      return mediaText(part, `${part.content.length} characters`);
    case "uri":
      return mediaText(part, part.uri);
    case "file":
      return mediaText(part, part.file_id);
  }
}

function mediaText({ modality, mime_type }: Media, what: string): string {
  return `[${modality} ${mime_type ?? ""} ${what}]`;
}

function replaced(old: readonly Message[], now: readonly Message[]): Change[] {
  const changes: Change[] = [];
  const bags = new Bags();
  let next = 0;
  for (const message of old) {
    const at = next + now.slice(next, next + CANDIDATES).findIndex((other) => isRewriting(message, other, bags));
    if (at < next) {
      changes.push({ kind: "removed", message });
      continue;
    }
    for (; next < at; next++) push(changes, now[next]);
    const after = now[next++];
    if (after) changes.push({ kind: "rewritten", before: message, after });
  }
  for (; next < now.length; next++) push(changes, now[next]);
  return changes;
}

function push(changes: Change[], message: Message | undefined): void {
  if (message) changes.push({ kind: "added", message });
}

// With this share of common words, a message counts as rewritten rather than as another one.
const MUCH = 0.5;
/** How many of the new messages are compared with each old one. */
const CANDIDATES = 20;
/** Of long messages only this many characters are compared. */
const MOST_COMPARED = 4_000;

function isRewriting(before: Message, after: Message, bags: Bags): boolean {
  if (before.role !== after.role) return false;
  if (before.parts.some((part, at) => isSameCall(part, after.parts[at]))) return true;
  return shared(bags.of(before), bags.of(after)) >= MUCH;
}

function isSameCall(part: Part, other: Part | undefined): boolean {
  return (
    (part.type === "tool_call" || part.type === "tool_call_response") &&
    part.type === other?.type &&
    part.id !== null &&
    part.id === other.id
  );
}

/** The count of each word in a message; words are numbers. */
interface Bag {
  counts: Map<number, number>;
  /** The total number of words. */
  size: number;
}

/** The words of messages; each message is read only once, however many others it is compared with. */
class Bags {
  readonly #numbers = new Map<string, number>();
  readonly #bags = new Map<Message, Bag>();

  of(message: Message): Bag {
    const found = this.#bags.get(message) ?? this.#read(message);
    this.#bags.set(message, found);
    return found;
  }

  #read(message: Message): Bag {
    const words = wordsOf(wholeText(message).slice(0, MOST_COMPARED));
    const counts = new Map<number, number>();
    for (const word of words) {
      const number = this.#numbers.get(word) ?? this.#numbers.size;
      this.#numbers.set(word, number);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    return { counts, size: words.length };
  }
}

/** The share of words that two texts have in common, in any order; 0 if it cannot be large. */
function shared(before: Bag, after: Bag): number {
  const size = Math.max(1, before.size + after.size);
  if ((2 * Math.min(before.size, after.size)) / size < MUCH) return 0;
  const [few, many] = before.counts.size < after.counts.size ? [before, after] : [after, before];
  let both = 0;
  for (const [word, count] of few.counts) both += Math.min(count, many.counts.get(word) ?? 0);
  return (2 * both) / size;
}

/** A piece of text that was kept, added or removed. */
export interface Piece {
  kind: "same" | "added" | "removed";
  text: string;
}

const MOST_CHARACTERS = 200_000;
/** Of the shorter text; with less in common, two whole texts read better than a word diff. */
const LEAST_KEPT = 0.3;
const WORD = /[\p{L}\p{N}_]/u;

/** The changes in a text, word by word; texts that are too long or too different are replaced as a whole. */
export function diffWords(before: string, after: string): Piece[] {
  if (before.length + after.length > MOST_CHARACTERS) return replacedWhole(before, after);
  const old = wordsOf(before);
  const now = wordsOf(after);
  const stretches = diffSequences(old, now);
  const kept = stretches.flatMap((stretch) => (stretch.kept ? now.slice(...stretch.after) : []));
  if (letters(kept) < LEAST_KEPT * Math.min(letters(old), letters(now))) return replacedWhole(before, after);
  return pieces(
    stretches.flatMap(({ kept, before: [a, b], after: [c, d] }): [Piece["kind"], string][] =>
      kept
        ? [["same", now.slice(c, d).join("")]]
        : [
            ["removed", old.slice(a, b).join("")],
            ["added", now.slice(c, d).join("")],
          ],
    ),
  );
}

function replacedWhole(before: string, after: string): Piece[] {
  return pieces([
    ["removed", before],
    ["added", after],
  ]);
}

function letters(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + (WORD.test(word) ? word.length : 0), 0);
}

function pieces(found: [Piece["kind"], string][]): Piece[] {
  return found.filter(([, text]) => text !== "").map(([kind, text]) => ({ kind, text }));
}

/** Words, whitespace and single punctuation marks; joined, they are the text. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}
