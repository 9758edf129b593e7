import { expect, test } from "vitest";
import { parseSearch } from "@/lib/address";
import { sessionsSearch } from "./url";

test("of an address the list of sessions takes its time and its order, and nothing else", () => {
  const search = parseSearch("?since=2h&sort=cost&order=asc&kind=llm&status=error&session_id=x");
  expect(sessionsSearch(search)).toEqual({ since: "2h", sort: "cost", order: "asc" });
});

test("an order that sessions do not have is left out", () => {
  expect(sessionsSearch(parseSearch("?sort=score&order=up"))).toEqual({});
});
