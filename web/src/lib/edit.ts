import { isContainer } from "./json";

/** What a tool call replaces in a file, and by what. */
interface Edit {
  before: string;
  after: string;
}

/** What tools for edits call the two texts: those of Claude Code and Gemini CLI, and that of opencode. */
const NAMES = [
  ["old_string", "new_string"],
  ["oldString", "newString"],
] as const;

/** The edit that the arguments of a call ask for. */
export function editOf(args: unknown): Edit | null {
  if (!isContainer(args)) return null;
  const values = args as Record<string, unknown>;
  for (const [old, replacing] of NAMES) {
    const [before, after] = [values[old], values[replacing]];
    if (typeof before === "string" && typeof after === "string") return { before, after };
  }
  return null;
}
