/**
 * Recorded text in which everything that could hide or reorder it is visible.
 *
 * Control characters become their symbols (U+2400 block). Bidirectional controls, lone surrogates, noncharacters and
 * all that Unicode lets a program ignore (Default_Ignorable_Code_Point: tags, fillers, variation selectors except
 * U+FE0E and U+FE0F) become `⟨U+202E⟩`. Line feeds and tabs are kept: the page decides how to show them.
 */
export function visible(text: string): string {
  return HIDDEN_ANY.test(text) ? text.replace(HIDDEN, symbol) : text;
}

/** The same on one line: line feeds and tabs become symbols too. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\r\n|\n|\r|\t/g, (found) => (found === "\t" ? "⇥" : "⏎"));
}

// The CLI shows the same characters; a test compares the two lists.
const RANGES: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0d],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

const escaped = (code: number) => `\\u{${code.toString(16)}}`;
const CLASS = `[${RANGES.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join("")}]`;
// A joiner between two emoji makes one of them.
const EMOJI_JOINER =
  "(?<=[\\p{Extended_Pictographic}\\uFE0F\\u{1F3FB}-\\u{1F3FF}])\\u200D(?=\\p{Extended_Pictographic})";

/** Every character that `visible` replaces, one per match; for other ways to escape it. */
export const HIDDEN = new RegExp(`(?!${EMOJI_JOINER})${CLASS}`, "gu");
const HIDDEN_ANY = new RegExp(CLASS, "u");

function symbol(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
