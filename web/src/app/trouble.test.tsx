import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { client } from "@/api/client";
import { Trouble } from "./trouble";

function answer(status: number, body: object) {
  const content = status === 200 ? { data: body } : { error: body };
  const answered = Promise.resolve({ ...content, response: new Response(null, { status }) });
  vi.spyOn(client, "GET").mockReturnValue(answered as ReturnType<typeof client.GET>);
}

function show() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queries}>
      <Trouble />
    </QueryClientProvider>,
  );
  return queries;
}

afterEach(cleanup);

test("what keeps the server from its work is shown in its own words", async () => {
  answer(503, { ready: false, problems: ["inspector.db is damaged; move it away"], losses: {} });
  show();
  expect((await screen.findByRole("alert")).textContent).toBe("inspector.db is damaged; move it away");
});

test("every problem has its line, the first few of very many", async () => {
  const problems = [
    "inspector.db is damaged; move it away",
    "a.jsonl is not readable",
    "b.jsonl",
    "c.jsonl",
    "d.jsonl",
  ];
  answer(503, { ready: false, problems, losses: {} });
  show();
  await screen.findByRole("alert");
  const lines = screen.getAllByRole("listitem").map((item) => item.textContent);
  expect(lines).toEqual([...problems.slice(0, 4), "and 1 more problem"]);
});

test("a server that is ready has nothing to say, whatever it ignores", async () => {
  answer(200, { ready: true, problems: ["odd.jsonl is a symbolic link"], losses: {} });
  const queries = show();
  await vi.waitFor(() => expect(queries.getQueryData(["readiness"])).toBeTruthy());
  expect(screen.queryByRole("alert")).toBeNull();
});
