import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { type FullSpan, fullSpan } from "@/lib/full-span";
import { sampleRow } from "@/lib/samples.test-data";
import { EnvelopeOverview } from "./envelope-overview";
import { around } from "./related";

afterEach(cleanup);

function show(over: Partial<FullSpan>) {
  const rows = [sampleRow("r", null, { kind: "resource" })];
  const known = { trace_id: "0", span_id: "r", kind: "resource", status: "ok", error: null };
  render(<EnvelopeOverview span={fullSpan({ ...known, ...over })} place={around(rows, "r")} rows={rows} />);
}

test("a resource shows what was read", () => {
  show({ output: "pastries in Belém" });
  expect(screen.getByRole("heading", { name: "Content" })).toBeTruthy();
  expect(screen.getByText("pastries in Belém")).toBeTruthy();
});

test("a resource that could not be read has no content beside its error", () => {
  const error = { type: "MCPError", message: "Unknown resource", traceback: null };
  show({ status: "error", error, output: { code: -32002, message: "Unknown resource" } });
  expect(screen.queryByRole("heading", { name: "Content" })).toBeNull();
  expect(screen.queryByText(/Unknown resource/)).toBeNull();
});
