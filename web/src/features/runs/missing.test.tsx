import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readinessQuery } from "@/api/queries";
import type { Refusal } from "@/lib/losses";
import { Missing } from "./missing";

const NONE = { unwritten: 0, unencodable: 0, undecodable: 0, unmatched: 0, dropped_segments: 0 };

function show(dropped: number, refused: Refusal[] = []) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(readinessQuery.queryKey, { losses: { ...NONE, dropped }, refused } as never);
  render(
    <QueryClientProvider client={queries}>
      <main id="main" tabIndex={-1}>
        <Missing />
      </main>
    </QueryClientProvider>,
  );
}

const strip = () => screen.queryByRole("region", { name: "What is missing" });

beforeEach(() => localStorage.clear());
afterEach(cleanup);

test("what was read stays hidden until there is another figure, a smaller one too, and hides none after it", () => {
  show(5);
  fireEvent.click(screen.getByRole("button", { name: "Hide until this changes" }));
  expect(strip()).toBeNull();
  for (const [dropped, shows] of [
    [5, false],
    [6, true],
    [2, true],
    [5, true],
  ] as const) {
    cleanup();
    show(dropped);
    expect(strip() !== null).toBe(shows);
  }
});

test("what an endpoint refused is said until it was read", () => {
  const refused = { endpoint: "https://elsewhere/v1/traces", spans: 2, reason: "HTTP 400" };
  show(0, [refused]);
  expect(strip()?.textContent).toContain("https://elsewhere/v1/traces permanently refused 2 spans: HTTP 400.");
  fireEvent.click(screen.getByRole("button", { name: "Hide until this changes" }));
  expect(strip()).toBeNull();
  cleanup();
  show(0, [{ ...refused, spans: 3 }]);
  expect(strip()).not.toBeNull();
});

test("nothing is said where nothing is missing", () => {
  localStorage.setItem("inspector.losses.read", "5");
  show(0);
  expect(strip()).toBeNull();
});

test("hiding it leaves the focus on the page", () => {
  show(5);
  const hide = screen.getByRole("button", { name: "Hide until this changes" });
  hide.focus();
  fireEvent.click(hide);
  expect(document.activeElement?.id).toBe("main");
});
