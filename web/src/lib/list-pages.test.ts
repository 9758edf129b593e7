import { describe, expect, it } from "vitest";
import {
  type ItemRules,
  itemsOf,
  knowsOf,
  type ListPage,
  type ListPages,
  withFirstPage as overlaid,
  withItem,
  withoutItem,
} from "./list-pages";
import type { ListOrder } from "./sort";

const SIZE = 5;
const NEWEST = { sort: "time", order: "desc" } as const;

interface ListedRun {
  run_id: string;
  start_time_unix_nano: string;
  duration_ms: number | null;
  seq: number;
}

const idOf = (item: ListedRun) => item.run_id;
const RULES: ItemRules<ListedRun> = {
  idOf,
  timeOf: (item) => item.start_time_unix_nano,
  valueOf: (item) => item.duration_ms,
};

const withFirstPage = (known: ListPages<ListedRun> | undefined, first: ListPage<ListedRun>, by: ListOrder) =>
  overlaid(known, first, by, RULES);

function run(at: number, seq = at): ListedRun {
  return {
    run_id: `t${at}`,
    start_time_unix_nano: String(at),
    duration_ms: at % 7,
    seq,
  };
}

const shown = (pages: ListPages<ListedRun> | undefined) => itemsOf(pages, idOf);

/** Pages of a store as the API would return them, latest first. */
function pagesOf(store: ListedRun[], pages: number): ListPages<ListedRun> {
  const sorted = store.toSorted((a, b) => Number(b.start_time_unix_nano) - Number(a.start_time_unix_nano));
  const cut = [...Array(pages).keys()].map((at) => ({
    items: sorted.slice(at * SIZE, (at + 1) * SIZE),
    next_cursor: (at + 1) * SIZE < sorted.length ? `after ${(at + 1) * SIZE}` : null,
    nowMs: 0,
  }));
  return { pages: cut, pageParams: cut.map((_, at) => (at ? `after ${at * SIZE}` : null)) };
}

function first(store: ListedRun[]) {
  const page = pagesOf(store, 1).pages[0];
  if (!page) throw new Error("no page");
  return page;
}

const store = [...Array(40).keys()].map((at) => run(at + 1));

describe("withFirstPage", () => {
  it.each([0, 1, 2, 3, 4])("shows what a fresh question would show after %i new runs", (added) => {
    const later = [...store, ...[...Array(added).keys()].map((at) => run(100 + at))];
    const next = withFirstPage(pagesOf(store, 4), first(later), NEWEST);
    const fresh = later.toSorted((a, b) => Number(b.start_time_unix_nano) - Number(a.start_time_unix_nano));
    expect(shown(next)).toEqual(fresh.slice(0, 4 * SIZE + added));
    expect(next.pages.at(-1)?.next_cursor).toBe("after 20");
  });

  it("keeps the objects of runs that did not change, and takes those that did", () => {
    const known = pagesOf(store, 2);
    const changed = store.map((each) => (each.run_id === "t39" ? { ...each, seq: 999 } : { ...each }));
    const next = shown(withFirstPage(known, first(changed), NEWEST));
    const old = shown(known);
    expect(next[0]).toBe(old[0]);
    expect(next[1]).not.toBe(old[1]);
    expect(next[1]?.seq).toBe(999);
    expect(next.slice(2)).toEqual(old.slice(2));
  });

  it("begins anew when more came than a page holds", () => {
    const later = [...store, ...[...Array(20).keys()].map((at) => run(100 + at))];
    const next = withFirstPage(pagesOf(store, 4), first(later), NEWEST);
    expect(next.pages).toEqual([first(later)]);
  });

  it("lets go of a run that no longer belongs above the end of the page", () => {
    const later = store.filter((each) => each.run_id !== "t38");
    const next = withFirstPage(pagesOf(store, 3), first(later), NEWEST);
    expect(shown(next).map((each) => each.run_id)).not.toContain("t38");
  });

  it("takes a page that is the whole list as the whole list", () => {
    const next = withFirstPage(pagesOf(store, 3), { items: [run(40)], next_cursor: null, nowMs: 0 }, NEWEST);
    expect(shown(next)).toEqual([run(40)]);
  });

  it("keeps every run of later pages when the order is by duration", () => {
    const byDuration = store.toSorted((a, b) => (b.duration_ms ?? 0) - (a.duration_ms ?? 0));
    const cut = (from: number) => ({ items: byDuration.slice(from, from + SIZE), next_cursor: "more", nowMs: 0 });
    const known = { pages: [cut(0), cut(5), cut(10)], pageParams: [null, "a", "b"] };
    const longest = { ...run(200), duration_ms: 100 };
    const next = withFirstPage(
      known,
      { items: [longest, ...byDuration.slice(0, SIZE - 1)], next_cursor: "more", nowMs: 0 },
      { sort: "duration", order: "desc" },
    );
    expect(shown(next)).toEqual([longest, ...byDuration.slice(0, 15)]);
  });

  it("starts from nothing", () => {
    expect(shown(withFirstPage(undefined, first(store), NEWEST))).toHaveLength(SIZE);
  });
});

describe("withoutItem", () => {
  it("takes out one run and nothing else", () => {
    const known = pagesOf(store, 3);
    expect(shown(withoutItem(known, "t37", idOf))).toEqual(shown(known).filter((each) => each.run_id !== "t37"));
    expect(withoutItem(undefined, "t1", idOf)).toBeUndefined();
  });
});

describe("itemsOf", () => {
  it("shows a run that two pages hold once", () => {
    const pages = [first(store), first(store)];
    expect(shown({ pages, pageParams: [null, "x"] })).toHaveLength(SIZE);
  });
});

describe("withItem", () => {
  it("changes a run wherever it stands, and keeps what the newer words do not tell", () => {
    const known = pagesOf(
      store.map((each) => ({ ...each, timeline: [each.seq] })),
      4,
    );
    const next = withItem(known, { ...run(25), duration_ms: 99, seq: 500 }, idOf);
    expect(shown(next).find((each) => each.run_id === "t25")).toEqual({
      ...run(25),
      duration_ms: 99,
      seq: 500,
      timeline: [25],
    });
    expect(shown(next).filter((each) => each.seq !== 500)).toEqual(
      shown(known).filter((each) => each.run_id !== "t25"),
    );
  });

  it("does not go back to older words", () => {
    const known = pagesOf(store, 4);
    expect(shown(withItem(known, { ...run(25), duration_ms: 99, seq: 3 }, idOf))).toEqual(shown(known));
  });
});

it("keeps what further pages found while the first one finds nothing in its time", () => {
  const known = pagesOf(store, 3);
  const next = withFirstPage(known, { items: [], next_cursor: "more", nowMs: 0 }, NEWEST);
  expect(shown(next)).toEqual(known.pages.slice(1).flatMap((page) => page.items));
});

describe("knowsOf", () => {
  it("tells whether pages can have missed what happened up to a change", () => {
    const pages = [{ items: [{ seq: 7 }, { seq: 9 }] }, { items: [{ seq: 3 }] }];
    expect([8, 9, 10].map((change) => knowsOf(pages, change))).toEqual([true, true, false]);
    expect(knowsOf([], 0)).toBe(false);
    expect(knowsOf([{ items: [] }], 0)).toBe(false);
  });
});
