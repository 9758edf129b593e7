import type { Search } from "@/lib/filter";

export interface DiffSearch {
  /** The first run: an id, a part of one, `last` or `last~1`; without it, that of its program before the second. */
  a?: string | undefined;
  /** The run that is compared with it. */
  b?: string | undefined;
  /** The place of the call that is looked at, from nought; without it that of the cause. */
  at?: number | undefined;
  /** `1` shows the calls that are equal too, instead of counting them. */
  all?: "1" | undefined;
}

const NAMED = /^[A-Za-z0-9_~-]{1,64}$/;

/** What the address of a comparison holds. */
export function diffSearch(search: Search): DiffSearch {
  const found: DiffSearch = {};
  if (typeof search.a === "string" && NAMED.test(search.a)) found.a = search.a;
  if (typeof search.b === "string" && NAMED.test(search.b)) found.b = search.b;
  if (/^[0-9]{1,6}$/.test(String(search.at))) found.at = Number(search.at);
  if (search.all === "1") found.all = "1";
  return found;
}
