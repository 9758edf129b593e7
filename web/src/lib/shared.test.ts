import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const IMPORTED = /from "(?:@\/lib|\.)\/([\w.-]+)"/g;

/** The room of a file: a feature, or one of the folders beside them. */
function roomOf(path: string): string {
  const [folder, name] = path.split("/");
  return folder === "features" ? `features/${name}` : (folder ?? "");
}

test("a module that serves one feature alone is in its folder, not in lib", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
    (path) => /\.tsx?$/.test(path) && !/\.test(-\w+)?\.tsx?$/.test(path),
  );
  const rooms = new Map<string, Set<string>>();
  for (const path of sources) {
    const room = roomOf(path);
    for (const [from, name = ""] of readFileSync(`src/${path}`, "utf8").matchAll(IMPORTED)) {
      if (room === "lib" || from.includes("@/lib/")) rooms.set(name, (rooms.get(name) ?? new Set()).add(room));
    }
  }
  expect(rooms.size).toBeGreaterThan(20);
  const misplaced = [...rooms].filter(([, of]) => of.size === 1 && [...of][0]?.startsWith("features/"));
  expect(misplaced.map(([name]) => name)).toEqual([]);
});
