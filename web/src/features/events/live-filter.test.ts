import { expect, it } from "vitest";
import { type FilteredSpan, liveFilter } from "./live-filter";

const SPAN: FilteredSpan = {
  kind: "llm",
  status: "ok",
  name: "chat gpt-4o",
  agent: "planner",
  tool: null,
  duration_ms: 120,
  cost_usd: null,
  folded_into: null,
};

it("asks the server for nothing that may change while a span runs", () => {
  const { streamed } = liveFilter({ kind: ["llm"], q: "hotel", tool: "search", status: ["ok"], max_cost_usd: 1 });
  expect(streamed).toEqual({ kind: ["llm"], q: "hotel" });
});

it("leaves to the server what a span as it is streamed does not show", () => {
  const filter = { model: "gpt-4o-2024-08-06", error_type: "ToolError" };
  const { streamed, fits } = liveFilter(filter);
  expect(streamed).toEqual(filter);
  expect(fits(SPAN)).toBe(true);
});

it("lets a span go that no longer matches", () => {
  const { fits } = liveFilter({ status: ["running"] });
  expect(fits({ ...SPAN, status: "running" })).toBe(true);
  expect(fits(SPAN)).toBe(false);
});

it("knows every condition", () => {
  const failed = { ...SPAN, status: "error", tool: "search", cost_usd: 0.5 } as const;
  expect(liveFilter({}).fits(SPAN)).toBe(true);
  expect(liveFilter({ status: ["error", "lost"] }).fits(failed)).toBe(true);
  expect(liveFilter({ status: ["lost"] }).fits(failed)).toBe(false);
  expect(liveFilter({ duplicates: "false" }).fits(SPAN)).toBe(true);
  expect(liveFilter({ duplicates: "false" }).fits({ ...SPAN, folded_into: "a" })).toBe(false);
  expect(liveFilter({ name: "chat" }).fits(SPAN)).toBe(false);
  expect(liveFilter({ name_prefix: "chat" }).fits(SPAN)).toBe(true);
  expect(liveFilter({ agent: "planner", tool: "search" }).fits(failed)).toBe(true);
  expect(liveFilter({ min_duration_ms: 100, max_duration_ms: 120 }).fits(SPAN)).toBe(true);
  expect(liveFilter({ min_duration_ms: 121 }).fits(SPAN)).toBe(false);
});

it("leaves out what has no figure, where a figure is asked for", () => {
  expect(liveFilter({ max_cost_usd: 5 }).fits(SPAN)).toBe(false);
  expect(liveFilter({ min_duration_ms: 0 }).fits({ ...SPAN, duration_ms: null })).toBe(false);
});
