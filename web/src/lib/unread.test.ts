import { expect, test } from "vitest";
import { parseSearch } from "./address";
import { filterOf } from "./filter";
import { sortedIn } from "./sort";
import { unreadIn } from "./unread";

function unread(text: string): string | undefined {
  const written = parseSearch(text);
  return unreadIn(written, { ...filterOf(written), ...sortedIn(written) });
}

test("words that a page does not understand are named", () => {
  expect(unread("?status=eror&status=ok&since=next+year&sort=frob&stauts=error")).toBe(
    "Not understood in the address, and ignored: status=eror, since=next year, sort=frob, stauts=error",
  );
  expect(unread("?min_duration_ms=soon&attr=novalue")).toContain("min_duration_ms=soon, attr=novalue");
});

test("what it does understand, and what goes without saying, is not", () => {
  expect(
    unread("?status=error&status=ok&q=a+b&since=yesterday&min_duration_ms=5.0&sort=cost&order=desc"),
  ).toBeUndefined();
  expect(unread("?args=a%3D1&label=good&sort=time&duplicates=false")).toBeUndefined();
  expect(unread("?of=traces&rank=count&charts=table")).toBeUndefined();
  expect(unread("")).toBeUndefined();
});

test("an address of nothing but nonsense stays short", () => {
  const words = Array.from({ length: 50 }, (_, at) => `k${at}=${"x".repeat(200)}`).join("&");
  expect(unread(`?${words}`)?.length).toBeLessThan(500);
});
