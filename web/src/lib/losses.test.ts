import { expect, test } from "vitest";
import { lossSentences } from "./losses";

const NONE = { dropped: 0, unwritten: 0, unencodable: 0, undecodable: 0, unmatched: 0, dropped_segments: 0 };

test("nothing is said where nothing is missing", () => {
  expect(lossSentences(NONE)).toEqual([]);
});

test("each reason has its sentence, the same as the command line's", () => {
  const losses = { dropped: 24225, unwritten: 1, unencodable: 2, undecodable: 1, unmatched: 1, dropped_segments: 1 };
  expect(lossSentences(losses)).toEqual([
    "24,225 calls were not recorded in full: the queue was full",
    "1 call was not recorded in full: the file could not be written",
    "2 calls were not recorded in full: no record could be made",
    "1 line or span was unreadable, and not stored",
    "1 call ended that had not begun there",
    "1 spool file was removed to make room before being stored",
  ]);
  expect(lossSentences({ ...NONE, unmatched: 3 }, " of its processes")).toEqual([
    "3 calls of its processes ended that had not begun there",
  ]);
});
