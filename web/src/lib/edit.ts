import { isContainer } from "./json";

/** What a tool call replaces in a file, and by what. */
interface Edit {
  before: string;
  after: string;
}

/** The edit that the arguments of a call ask for, as the tools of Claude Code and Gemini CLI have them. */
export function editOf(args: unknown): Edit | null {
  if (!isContainer(args) || !("old_string" in args && "new_string" in args)) return null;
  const { old_string: before, new_string: after } = args;
  return typeof before === "string" && typeof after === "string" ? { before, after } : null;
}
