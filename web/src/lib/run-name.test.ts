import { expect, it } from "vitest";
import { runName, sessionName } from "./run-name";

const UUID = "0bfcfafd-1e41-4536-8747-3a5608485fc4";

it("calls a session with a made-up id by its program, and any other run by its name", () => {
  expect(runName({ origin: "session", name: UUID, service: "claude-code" })).toBe("claude-code");
  expect(runName({ origin: "session", name: UUID, service: null })).toBe(UUID);
  expect(runName({ origin: "session", name: "trip-42", service: "planner" })).toBe("trip-42");
  expect(runName({ origin: "block", name: UUID, service: "jobs" })).toBe(UUID);
});

it("a session with a made-up id is called by what it began with", () => {
  expect(sessionName(UUID, "Plan a trip")).toBe("Plan a trip");
  expect(sessionName(UUID, undefined)).toBe(UUID);
  expect(sessionName("trip-42", "Plan a trip")).toBe("trip-42");
});
