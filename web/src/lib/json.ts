/**
 * A JSON parser that only loses whitespace and the spelling of strings: numbers keep every digit, members keep their
 * order, duplicate keys are all kept, and any depth is accepted.
 */

/** A number that a double would write differently, such as `9007199254740993`, `1e400` or `1.0`. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** The nearest double. */
  valueOf(): number {
    return Number(this.text);
  }
}

/** All members as written, for objects that cannot hold them: with a duplicate key, or a key like an index. */
const written = new WeakMap<object, [key: string, value: unknown][]>();

type Members = Record<string, unknown>;

/** One member of an object, or one item of a list. */
export interface Entry {
  key: string | number;
  value: unknown;
  /** Whether a later member has the same key. */
  overridden?: boolean;
}

/** Whether a value has members or items. */
export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

/** Whether a value has members by name. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

/** The first of these members that is present and not null. */
export function field(value: unknown, ...names: string[]): unknown {
  for (const name of names) {
    const held = member(value, name);
    if (held !== undefined && held !== null) return held;
  }
  return undefined;
}

/** The member of an object by name; undefined if the value is not an object or has no such member. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The number of members or items. */
export function sizeOf(value: object): number {
  if (Array.isArray(value)) return value.length;
  return written.get(value)?.length ?? Object.keys(value).length;
}

/** Members or items from one index to another, in the order in which they were written. */
export function entriesOf(value: object, from = 0, to = Number.POSITIVE_INFINITY): Entry[] {
  if (Array.isArray(value)) return value.slice(from, to).map((item, at) => ({ key: from + at, value: item }));
  const kept = written.get(value);
  if (!kept) {
    const members = value as Members;
    return Object.keys(members)
      .slice(from, to)
      .map((key) => ({ key, value: members[key] }));
  }
  const last = new Map(kept.map(([key], at) => [key, at]));
  const entries = kept.map(([key, held], at) => ({
    key,
    value: held,
    ...(last.get(key) !== at && { overridden: true }),
  }));
  return entries.slice(from, to);
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const BLANK = /[ \t\r\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON.parse refuses a string with one
const CONTROL_OR_ESCAPE = /[\u0000-\u001f\\]/;

/** Parse JSON; throws a SyntaxError if `JSON.parse` would. */
export function parseJson(text: string): unknown {
  return new Reader(text).document();
}

/** The value of a text that is a JSON object or list; undefined for any other text. */
export function parsedText(text: string, most = 2_000_000): unknown {
  if (text.length > most || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The value of a text that is a JSON object or list; anything else unchanged. */
export function readValue(value: unknown, most?: number): unknown {
  return typeof value === "string" ? (parsedText(value, most) ?? value) : value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value();
    this.#blank();
    if (this.#at < this.#text.length) this.#fail();
    return value;
  }

  /** Without recursion: `open` holds the containers around the current position. */
  #value(): unknown {
    const open: (unknown[] | Members)[] = [];
    const keys: string[] = [];
    for (;;) {
      let value = this.#begin(open, keys);
      if (value === OPENED) continue;
      for (;;) {
        const around = open.at(-1);
        if (around === undefined) return value;
        if (Array.isArray(around)) around.push(value);
        else put(around, keys.pop() ?? "", value);
        if (this.#next(around, keys)) break;
        value = open.pop();
      }
    }
  }

  /** Returns a scalar or an empty container; enters a container with content. */
  #begin(open: (unknown[] | Members)[], keys: string[]): unknown {
    this.#blank();
    const character = this.#text[this.#at];
    if (character === "[" || character === "{") {
      this.#at++;
      const made: unknown[] | Members = character === "[" ? [] : {};
      this.#blank();
      if (this.#text[this.#at] === (character === "[" ? "]" : "}")) {
        this.#at++;
        return made;
      }
      if (character === "{") keys.push(this.#key());
      open.push(made);
      return OPENED;
    }
    return this.#scalar(character);
  }

  /** Continue after an item: true if another one follows, false if its container ends. */
  #next(around: unknown[] | Members, keys: string[]): boolean {
    this.#blank();
    const character = this.#text[this.#at++];
    const list = Array.isArray(around);
    if (character === (list ? "]" : "}")) return false;
    if (character !== ",") this.#fail(this.#at - 1);
    if (!list) keys.push(this.#key());
    return true;
  }

  #key(): string {
    this.#blank();
    if (this.#text[this.#at] !== '"') this.#fail();
    const key = this.#string();
    this.#blank();
    if (this.#text[this.#at] !== ":") this.#fail();
    this.#at++;
    return key;
  }

  #scalar(character: string | undefined): unknown {
    if (character === '"') return this.#string();
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#text)?.[0];
    if (found === undefined) return this.#fail();
    this.#at += found.length;
    return numberOf(found);
  }

  #string(): string {
    const text = this.#text;
    const first = this.#at + 1;
    let end = text.indexOf('"', first);
    for (; end >= 0 && isEscaped(text, first, end); end = text.indexOf('"', end + 1));
    if (end < 0) this.#fail();
    this.#at = end + 1;
    const inner = text.slice(first, end);
    // The engine handles escapes and reports invalid strings.
    return CONTROL_OR_ESCAPE.test(inner) ? JSON.parse(text.slice(first - 1, end + 1)) : inner;
  }

  #blank(): void {
    BLANK.lastIndex = this.#at;
    BLANK.exec(this.#text);
    this.#at = BLANK.lastIndex;
  }

  #fail(at = this.#at): never {
    throw new SyntaxError(at >= this.#text.length ? "The JSON ends too early." : `No JSON at character ${at + 1}.`);
  }
}

const OPENED = Symbol("a container with something in it");
const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

function isEscaped(text: string, first: number, at: number): boolean {
  let slashes = 0;
  while (at - slashes - 1 >= first && text[at - slashes - 1] === "\\") slashes++;
  return slashes % 2 === 1;
}

/** Keys that an object moves before all others. */
const LIKE_AN_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

function put(members: Members, key: string, value: unknown): void {
  let all = written.get(members);
  if (!all && (Object.hasOwn(members, key) || LIKE_AN_INDEX.test(key))) {
    all = Object.entries(members);
    written.set(members, all);
  }
  all?.push([key, value]);
  // An assignment to `__proto__` would set the prototype.
  if (key === "__proto__") {
    Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true });
  } else members[key] = value;
}

function numberOf(text: string): number | ExactNumber {
  const value = Number(text);
  return String(value) === text ? value : new ExactNumber(text);
}

/** The JSON of a value from `parseJson`, or of any plain value, with every digit and every member unchanged. */
export function jsonText(value: unknown, indent = 2): string {
  const out: string[] = [];
  const line = (depth: number) => (indent ? `\n${" ".repeat(indent * Math.min(depth, 200))}` : "");
  const open: { entries: Entry[]; at: number; list: boolean }[] = [];
  let now: unknown = value;
  for (;;) {
    if (isContainer(now) && sizeOf(now) > 0) {
      open.push({ entries: entriesOf(now), at: 0, list: Array.isArray(now) });
      out.push(Array.isArray(now) ? "[" : "{");
    } else out.push(scalarText(now));
    for (;;) {
      const around = open.at(-1);
      if (around === undefined) return out.join("");
      const entry = around.entries[around.at];
      if (entry === undefined) {
        open.pop();
        out.push(line(open.length), around.list ? "]" : "}");
        continue;
      }
      if (around.at++ > 0) out.push(",");
      out.push(line(open.length));
      if (!around.list) out.push(JSON.stringify(String(entry.key)), indent ? ": " : ":");
      now = entry.value;
      break;
    }
  }
}

/** A text as it is, and anything else as its JSON. */
export function plainText(value: unknown, indent = 2): string {
  return typeof value === "string" ? value : jsonText(value, indent);
}

/** The JSON of a value without members. */
export function scalarText(value: unknown): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return "[]";
  if (isContainer(value)) return "{}";
  return JSON.stringify(value) ?? "null";
}

/** A value in few characters: `{city: "Lisbon", nights: 2, …}`. */
export function preview(value: unknown, most = 80): string {
  if (!isContainer(value)) {
    const text = scalarText(typeof value === "string" ? value.slice(0, most + 1) : value);
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
  }
  const list = Array.isArray(value);
  let text = "";
  let shown = 0;
  for (const { key, value: held } of entriesOf(value, 0, 12)) {
    const inner = isContainer(held) ? (Array.isArray(held) ? "[…]" : "{…}") : preview(held, 32);
    const next = `${shown ? ", " : ""}${list ? "" : `${String(key).slice(0, 40)}: `}${inner}`;
    if (text.length + next.length > most && shown > 0) break;
    text += next;
    shown++;
  }
  if (shown < sizeOf(value)) text += shown ? ", …" : "…";
  return list ? `[${text}]` : `{${text}}`;
}
