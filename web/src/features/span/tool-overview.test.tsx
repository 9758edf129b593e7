import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { declaredToolQuery } from "@/api/queries";
import { type FullSpan, fullSpan } from "@/lib/full-span";
import type { Part } from "@/lib/messages";
import { sampleRow } from "@/lib/samples.test-data";
import { around } from "./related";
import { ToolOverview } from "./tool-overview";

afterEach(cleanup);

const TRACE = "0".repeat(32);

function show(over: Partial<FullSpan>) {
  const rows = [sampleRow("t", null, { traceId: TRACE, tool: "weather", status: over.status ?? "ok" })];
  const known = { trace_id: TRACE, span_id: "t", kind: "tool", status: "ok", tool: "weather", error: null };
  const queries = new QueryClient();
  queries.setQueryData(declaredToolQuery("weather").queryKey, null);
  render(
    <QueryClientProvider client={queries}>
      <ToolOverview span={fullSpan({ ...known, ...over })} place={around(rows, "t")} rows={rows} />
    </QueryClientProvider>,
  );
}

const answer = (...parts: Part[]) => ({ input: [], output: [{ role: "tool", parts }], tools: [] });

test("what the model read of an MCP result stands first, the rest is there to be opened", () => {
  const content: Part[] = [{ type: "text", content: "cloudy" }];
  const structured: Part = { type: "structured", content: { sky: "grey" } };
  show({ output: { content: ["…"] }, messages: answer(...content, structured) });
  expect(screen.getByText("cloudy")).toBeTruthy();
  expect(screen.queryByText(/grey/)).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "structured result" }));
  expect(screen.getByText(/grey/)).toBeTruthy();
});

test("any other result is shown as it was recorded", () => {
  show({ output: { sky: "blue" } });
  expect(screen.getByText(/blue/)).toBeTruthy();
  expect(screen.queryByText("whole result")).toBeNull();
});

test("an argument that the answer of a failed call refuses stands by itself", () => {
  const said = "1 validation error\ncity\n  Field required [type=missing]";
  show({ status: "error", input: { town: "Oslo", city: 3 }, messages: answer({ type: "text", content: said }) });
  const refused = screen.getByRole("heading", { name: "Refused argument" }).parentElement?.parentElement;
  expect(refused?.textContent).toContain("city Field required");
});

test("a result that only says what the error says is not shown twice", () => {
  const message = "no room in Lisbon";
  const error = { type: "tool_error", message, traceback: null };
  show({ status: "error", error, output: { isError: true }, messages: answer({ type: "text", content: message }) });
  expect(screen.queryByText(message)).toBeNull();
  expect(screen.getByText("The text of the error above.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "whole result" })).toBeTruthy();
  cleanup();
  show({ status: "error", error, output: `${message}\n` });
  expect(screen.queryByText(message)).toBeNull();
  cleanup();
  show({ status: "error", error, output: `${message}, the desk says` });
  expect(screen.getByText(/the desk says/)).toBeTruthy();
});
