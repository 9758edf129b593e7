const TERM = /"([^"]*)"|(\S+)/g;
const WORD = /[\p{L}\p{N}]+/gu;

/** What the server is asked for while somebody types: the last word may still go on. */
export function searchedFor(text: string): string {
  const wanted = text.trim();
  return /[\p{L}\p{N}]$/u.test(wanted) && wanted.split('"').length % 2 === 1 ? `${wanted}*` : wanted;
}

/** What finds the words of a search in a text; null without a word. */
export function wordsIn(text: string): RegExp | null {
  const terms = sourcesIn(text);
  return terms.length ? patternOf(terms.toSorted((a, b) => b.length - a.length).join("|"), "giu") : null;
}

/** What finds each word or phrase of a search. */
export function termsIn(text: string): RegExp[] {
  return sourcesIn(text).map((term) => patternOf(term, "iu"));
}

function patternOf(terms: string, flags: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${terms})`, flags);
}

function sourcesIn(text: string): string[] {
  return [...text.matchAll(TERM)].flatMap(([, phrase, word]) => {
    const words = (phrase ?? word ?? "").match(WORD);
    return words ? [words.join("[^\\p{L}\\p{N}]+")] : [];
  });
}
