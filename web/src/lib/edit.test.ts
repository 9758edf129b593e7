import { expect, test } from "vitest";
import { editOf } from "./edit";

test("an edit is what two strings of the arguments replace", () => {
  expect(editOf({ file_path: "a.py", old_string: "x", new_string: "y" })).toEqual({ before: "x", after: "y" });
  expect(editOf({ filePath: "a.py", oldString: "x", newString: "y" })).toEqual({ before: "x", after: "y" });
  expect(editOf({ old_string: "x", new_string: 1 })).toBeNull();
  expect(editOf({ new_string: "y" })).toBeNull();
  expect(editOf("old_string new_string")).toBeNull();
  expect(editOf(null)).toBeNull();
});
