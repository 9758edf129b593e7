const TERM = /"([^"]*)"|(\S+)/g;
const WORD = /[\p{L}\p{N}]+/gu;

/** The query while somebody types: the last word may be incomplete. */
export function searchedFor(text: string): string {
  const wanted = text.trim();
  return /[\p{L}\p{N}]$/u.test(wanted) && wanted.split('"').length % 2 === 1 ? `${wanted}*` : wanted;
}

/** A regular expression for the words of a search; null without words. */
export function wordsIn(text: string): RegExp | null {
  const terms = [...text.matchAll(TERM)].flatMap(([, phrase, word]) => {
    const words = (phrase ?? word ?? "").match(WORD);
    return words ? [words.join("[^\\p{L}\\p{N}]+")] : [];
  });
  if (terms.length === 0) return null;
  // The longest first: of two that begin alike, a pattern takes the first.
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${terms.sort((a, b) => b.length - a.length).join("|")})`, "giu");
}
