const TERM = /"([^"]*)"|(\S+)/g;
const WORD = /[\p{L}\p{N}]+/gu;

/** The query while somebody types: the last word may be incomplete. */
export function searchedFor(text: string): string {
  const wanted = text.trim();
  return /[\p{L}\p{N}]$/u.test(wanted) && wanted.split('"').length % 2 === 1 ? `${wanted}*` : wanted;
}

/** A regular expression for the words of a search; null without words. */
export function wordsIn(text: string): RegExp | null {
  const terms = sourcesIn(text);
  return terms.length ? patternOf(terms.toSorted((a, b) => b.length - a.length).join("|"), "giu") : null;
}

/** A regular expression for each word or phrase of a search. */
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
