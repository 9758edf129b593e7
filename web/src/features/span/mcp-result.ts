import { isObject, member, sizeOf } from "@/lib/json";
import { field, type Part, readParts } from "@/lib/message-parts";

/** A tool's result in the form of MCP: what is meant for the model, what is meant for programs, and the rest. */
export interface ToolResult {
  content: Part[];
  /** Undefined where there is none. */
  structured: unknown;
}

/** Read a result in the form of MCP, in either spelling of its members; null for any other result. */
export function readToolResult(recorded: unknown): ToolResult | null {
  if (!isObject(recorded)) return null;
  const content = member(recorded, "content");
  if (!Array.isArray(content) || !content.every((block) => typeof member(block, "type") === "string")) return null;
  const structured = field(recorded, "structuredContent", "structured_content", "structured");
  return {
    content: readParts(content),
    structured: isObject(structured) && sizeOf(structured) > 0 ? structured : undefined,
  };
}
