import { expect, it } from "vitest";
import { storeOf } from "./store";

it("tells those who listen that it changed, until they no longer want to hear of it", () => {
  const store = storeOf(1);
  const heard: number[] = [];
  const stop = store.subscribe(() => heard.push(store.get()));
  store.set(2);
  stop();
  store.set(3);
  expect([heard, store.get()]).toEqual([[2], 3]);
});
