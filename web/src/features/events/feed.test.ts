import { describe, expect, it } from "vitest";
import {
  arrived,
  begun,
  extended,
  type Feed,
  type FeedSpan,
  feedKey,
  MOST,
  NO_FEED,
  newestFirst,
  released,
} from "./feed";

interface Span extends FeedSpan {
  status: string;
}

let seq = 0;

function span(start: number, id = start, status = "ok"): Span {
  seq += 1;
  return {
    seq,
    trace_id: "t".repeat(32),
    span_id: String(id).padStart(16, "0"),
    start_time_unix_nano: String(start),
    status,
  };
}

const starts = (feed: Feed<Span>) => feed.rows.map((row) => Number(row.start_time_unix_nano));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => span(from + at));

describe("a feed of events", () => {
  it("puts what begins last on top, however late it is told", () => {
    const feed = arrived(begun([span(30), span(10)], null), [span(40), span(20)], false);
    expect(starts(feed)).toEqual([40, 30, 20, 10]);
  });

  it("orders nanoseconds that a number cannot tell apart", () => {
    const [early, late] = [
      { ...span(1), start_time_unix_nano: "1700000000000000001" },
      { ...span(2), start_time_unix_nano: "1700000000000000002" },
    ];
    expect([early, late].sort(newestFirst)).toEqual([late, early]);
    expect(newestFirst({ ...early, start_time_unix_nano: "999" }, late)).toBeGreaterThan(0);
  });

  it("keeps one row for a span that starts and ends", () => {
    const feed = arrived(begun([span(10, 1, "running"), span(5)], null), [span(10, 1, "ok")], false);
    expect(feed.rows.map(({ status }) => status)).toEqual(["ok", "ok"]);
    expect(starts(feed)).toEqual([10, 5]);
  });

  it("never goes back to an older word on a span", () => {
    const running = span(10, 1, "running");
    const ended = span(10, 1, "error");
    const feed = arrived(arrived(begun<Span>([], null), [ended], false), [running], false);
    expect(feed.rows).toEqual([ended]);
    expect(extended(feed, [running], null).rows).toEqual([ended]);
  });

  it("leaves rows that did not change the objects they were", () => {
    const before = begun([span(30), span(20), span(10)], null);
    const after = arrived(before, [span(20, 20, "error")], false);
    expect(after.rows[0]).toBe(before.rows[0]);
    expect(after.rows[2]).toBe(before.rows[2]);
    expect(after.rows[1]).not.toBe(before.rows[1]);
  });

  it("lets new spans wait while it is held, and changes those that are shown", () => {
    const held = arrived(begun([span(10, 1, "running")], null), [span(20), span(10, 1, "ok")], true);
    expect(starts(held)).toEqual([10]);
    expect(held.rows[0]?.status).toBe("ok");
    expect(held.waiting).toHaveLength(1);
    const again = arrived(held, [span(20, 20, "error")], true);
    expect(again.waiting.map(({ status }) => status)).toEqual(["error"]);
    expect(starts(released(again))).toEqual([20, 10]);
    expect(released(again).waiting).toEqual([]);
  });

  it("loses nothing that waits up to its bound, and says so beyond", () => {
    const full = arrived(begun<Span>([], null), range(0, MOST), true);
    expect(full.overflow).toBe(false);
    expect(full.waiting).toHaveLength(MOST);
    const over = arrived(full, [span(MOST + 1)], true);
    expect(over.overflow).toBe(true);
    expect(arrived(over, [span(MOST + 2)], true).waiting).toEqual([]);
  });

  it("drops the oldest rows beyond its bound, and knows where to load them again", () => {
    const feed = arrived(begun(range(0, 100), "c1"), range(100, MOST + 50), false);
    expect(feed.rows).toHaveLength(MOST);
    expect(starts(feed).at(-1)).toBe(50);
    expect(feed.reach).toEqual({ cursor: null, until: "51" });
    const more = extended(feed, [span(50), span(49)], "c2");
    expect(starts(more).slice(-2)).toEqual([50, 49]);
    expect(more.reach).toEqual({ cursor: "c2", until: "51" });
  });

  it("leaves what is older than its oldest row to be loaded, unless nothing older is left to load", () => {
    expect(starts(arrived(begun([span(30)], "c"), [span(10)], false))).toEqual([30]);
    expect(starts(arrived(begun([span(30)], null), [span(10)], false))).toEqual([30, 10]);
  });

  it("lets go of a span that does not fit any more", () => {
    const running = (each: Span) => each.status === "running";
    const feed = arrived(begun([span(10, 1, "running")], null), [span(10, 1, "ok"), span(20, 2, "ok")], false, running);
    expect(feed.rows).toEqual([]);
  });

  it("shows spans of one id in two traces as two", () => {
    const other = { ...span(10, 1), trace_id: "u".repeat(32) };
    expect(begun([span(10, 1), other], null).rows).toHaveLength(2);
  });

  it("ends with the same rows whatever order and batches the spans come in", () => {
    for (let round = 0; round < 50; round++) {
      const told = Array.from({ length: 60 }, () =>
        span(Math.floor(Math.random() * 20), Math.floor(Math.random() * 25)),
      );
      const last = new Map<string, Span>();
      // All versions of a span have the same start.
      for (const each of told) each.start_time_unix_nano = String(Number(each.span_id) * 3);
      for (const each of told) if ((last.get(feedKey(each))?.seq ?? -1) < each.seq) last.set(feedKey(each), each);
      const shuffled = [...told].sort(() => Math.random() - 0.5);
      let feed: Feed<Span> = NO_FEED;
      while (shuffled.length) {
        const held = Math.random() < 0.5;
        feed = arrived(feed, shuffled.splice(0, 1 + Math.floor(Math.random() * 9)), held);
        if (Math.random() < 0.3) feed = released(feed);
      }
      expect(released(feed).rows).toEqual([...last.values()].sort(newestFirst));
    }
  });
});
