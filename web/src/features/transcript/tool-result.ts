import { isContainer, member, parsedText, preview } from "@/lib/json";
import { field } from "@/lib/message-parts";

/** What a tool answered as the model read it: without the envelope of MCP around it, and as JSON where its text is. */
export function toolResult(recorded: unknown): unknown {
  if (typeof recorded === "string") return read(recorded);
  const content = Array.isArray(recorded) ? recorded : member(recorded, "content");
  // Content blocks name their type; any other list of that name is the tool's own.
  if (!Array.isArray(content) || !content.every((block) => typeof member(block, "type") === "string")) return recorded;
  if (content.length === 0) return field(recorded, "structuredContent", "structured_content", "structured") ?? recorded;
  if (content.length === 1 && member(content[0], "type") === "json") return field(content[0], "value") ?? recorded;
  const texts = content.map((block) => (member(block, "type") === "text" ? member(block, "text") : null));
  return texts.every((text) => typeof text === "string") ? read(texts.join("\n")) : content;
}

function read(text: string): unknown {
  return parsedText(text) ?? text;
}

/** A value in one line of at most so many characters; empty for none. */
export function onOneLine(value: unknown, most = 160): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return isContainer(value) ? preview(value, most) : String(value);
  // Of a text of megabytes only the beginning is looked at.
  const line = value
    .slice(0, most * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > most || value.length > most * 4 ? `${line.slice(0, most - 1)}…` : line;
}
