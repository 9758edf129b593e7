/**
 * How well typed words match a text; 0 if one of them does not occur.
 *
 * The best match of a word is at the beginning of a word, then anywhere inside, then as letters in order that begin
 * words or follow each other inside one. Of equal matches the shorter text wins.
 */
export function fitness(typed: string, text: string): number {
  const haystack = text.toLowerCase();
  let sum = 0;
  for (const word of wordsOf(typed)) {
    const points = fitOf(word, haystack);
    if (points === 0) return 0;
    sum += points;
  }
  return sum + 1 / (2 + haystack.length);
}

/** The matching items, best first; equal ones keep their order. Without typed text all items are kept. */
export function ranked<T>(typed: string, items: readonly T[], textOf: (item: T) => string): T[] {
  if (wordsOf(typed).length === 0) return [...items];
  return items
    .map((item) => ({ item, points: fitness(typed, textOf(item)) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ item }) => item);
}

const AT_START = 4;
const AT_WORD = 3;
const INSIDE = 2;
const SCATTERED = 1;

function wordsOf(typed: string): string[] {
  return typed.toLowerCase().split(/\s+/).filter(Boolean);
}

function fitOf(word: string, text: string): number {
  const first = text.indexOf(word);
  if (first === 0) return AT_START;
  for (let at = first; at > 0; at = text.indexOf(word, at + 1)) if (beginsWord(text, at)) return AT_WORD;
  if (first > 0) return INSIDE;
  return word.length > 1 && scattered(word, text) ? SCATTERED : 0;
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1));
}

/** Whether the letters occur in order, each in the word of the previous one or at the beginning of a later word. */
function scattered(word: string, text: string): boolean {
  for (let start = text.indexOf(word.charAt(0)); start >= 0; start = text.indexOf(word.charAt(0), start + 1)) {
    if (beginsWord(text, start) && runsOn(word, text, start)) return true;
  }
  return false;
}

function runsOn(word: string, text: string, start: number): boolean {
  let found = 1;
  let inside = true;
  for (let at = start + 1; at < text.length && found < word.length; at++) {
    const begins = beginsWord(text, at);
    if (begins) inside = false;
    if (text.charAt(at) !== word.charAt(found) || !(inside || begins)) continue;
    found++;
    inside = true;
  }
  return found === word.length;
}
