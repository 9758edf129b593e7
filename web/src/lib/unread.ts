import type { Search } from "./filter";

/** Default values: a page leaves them out when it reads an address. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  order: ["asc", "desc"],
  sort: ["time"],
  of: ["events", "traces"],
  rank: ["count"],
  duplicates: ["true"],
};
/** Parameters that are read in another form than they are written in. */
const OTHERWISE = new Set(["cols", "charts", "span", "trace", "tab"]);

/**
 * Says which words of an address a page does not understand: it ignores them, and may show more than they ask for.
 *
 * @param written The parameters in the address.
 * @param read The parameters as the page understood them.
 */
export function unreadIn(written: Search, read: object): string | undefined {
  const words = Object.entries(written).flatMap(([key, value]) => {
    if (OTHERWISE.has(key)) return [];
    const known = [(read as Search)[key]].flat().map(String);
    const isRead = (word: string) =>
      known.includes(word) || known.includes(String(Number(word))) || USUAL[key]?.includes(word);
    return [value]
      .flat()
      .map(String)
      .filter((word) => word !== "" && !isRead(word))
      .map((word) => `${key}=${short(word)}`);
  });
  if (words.length === 0) return undefined;
  return `Not understood in the address, and ignored: ${words.slice(0, MOST).join(", ")}${words.length > MOST ? ", …" : ""}`;
}

const MOST = 5;
const LONGEST = 60;

function short(word: string): string {
  return word.length > LONGEST ? `${word.slice(0, LONGEST)}…` : word;
}
