/** Reading and writing the search part of an address: plain `key=value` pairs; a list repeats its key. */

/** Read `?a=1&b=2&b=3` into `{a: "1", b: ["2", "3"]}`. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = Object.create(null);
  for (const [key, value] of new URLSearchParams(text)) {
    const before = found[key];
    found[key] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return { ...found };
}

/** The reverse; undefined, null, false and empty lists are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== false) pairs.append(key, String(each));
    }
  }
  const text = pairs.toString();
  return text ? `?${text}` : "";
}

/** Changes the address of a page, with `replace` without a history entry. Resolves when the page shows the change. */
export type ChangeAddress<Search> = (change: (before: Search) => Search, replace?: boolean) => Promise<void>;
