const TERM = /"([^"]*)"|(\S+)/g;
const WORD = /[\p{L}\p{N}]+/gu;

/** What the server is asked for while somebody types: the last word may still go on. */
export function searchedFor(text: string): string {
  const wanted = text.trim();
  return /[\p{L}\p{N}]$/u.test(wanted) && wanted.split('"').length % 2 === 1 ? `${wanted}*` : wanted;
}

/** What finds the words of a search in a text; null without a word. */
export function wordsIn(text: string): RegExp | null {
  const terms: string[] = [];
  for (const [, phrase, word] of text.matchAll(TERM)) {
    const words = (phrase ?? word ?? "").match(WORD);
    if (words) terms.push(words.join("[^\\p{L}\\p{N}]+"));
  }
  if (!terms.length) return null;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${terms.toSorted((a, b) => b.length - a.length).join("|")})`, "giu");
}
