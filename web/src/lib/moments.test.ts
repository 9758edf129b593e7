import { describe, expect, it } from "vitest";
import { apiTime, isMoment, relativeMs } from "./moments";

// A Monday, in local time, like every time that a person types.
const NOW = new Date(2026, 10, 23, 12, 0, 0).getTime();
const local = (day: number, hours = 0, minutes = 0) => new Date(2026, 10, day, hours, minutes).toISOString();

describe("a point in time", () => {
  it.each([
    ["15m", local(23, 11, 45)],
    ["2 days ago", local(21, 12)],
    ["an hour ago", local(23, 11)],
    ["now", local(23, 12)],
    ["today", local(23)],
    ["yesterday", local(22)],
    ["Yesterday 14:30", local(22, 14, 30)],
    ["monday", local(16)],
    ["sunday 9:30", local(22, 9, 30)],
    ["14:30", local(23, 14, 30)],
    ["2026-11-22", local(22)],
    ["2026-11-22T12:54", local(22, 12, 54)],
    ["2026-11-22 12:54", local(22, 12, 54)],
  ])("is read from %s", (text, expected) => {
    expect(apiTime(text, NOW)).toBe(expected);
  });

  it("goes on unchanged where the API reads it as exactly as it is written", () => {
    expect(apiTime("1795000000000000001", NOW)).toBe("1795000000000000001");
    expect(apiTime("2026-11-22T10:00:00.123456789+01:00", NOW)).toBe("2026-11-22T10:00:00.123456789+01:00");
  });

  it.each(["", "whenever", "Nov 22 2026", "25:00", "2026-02-30", "2026-13-01T00:00", "yesterdayish", "3 moons ago"])(
    "is not read from %j",
    (text) => {
      expect(isMoment(text)).toBe(false);
    },
  );

  it("is relative when it counts back from now", () => {
    expect(relativeMs("1.5h")).toBe(5_400_000);
    expect(relativeMs("yesterday")).toBeNull();
  });
});
