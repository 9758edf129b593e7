/** The beginning of a long text. */
export interface Excerpt {
  text: string;
  /** The number of characters left out. */
  left: number;
}

/** The first lines and characters of a text; if only a little is left, the whole text. */
export function excerpt(text: string, lines: number, characters: number): Excerpt {
  const limit = text.length > characters * 1.2 ? characters : text.length;
  let end = limit;
  for (let line = 0, at = -1; line < lines; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0 || at >= limit) break;
    if (line === lines - 1 && hasMoreLines(text, at + 1, 4)) end = at;
  }
  return end >= text.length ? { text, left: 0 } : { text: text.slice(0, whole(text, end)), left: text.length - end };
}

/** The nearest position that is not inside a surrogate pair. */
export function whole(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}

function hasMoreLines(text: string, from: number, lines: number): boolean {
  let at = from - 1;
  for (let line = 0; line < lines; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return text.length - from > 400;
  }
  return true;
}
