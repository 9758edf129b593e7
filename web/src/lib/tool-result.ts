import { isContainer, member, parsedText, preview } from "./json";

/** What a tool answered, without the envelope of MCP around it; text that is JSON is read. */
export function toolResult(recorded: unknown): unknown {
  const content = member(recorded, "content");
  if (!Array.isArray(content)) return typeof recorded === "string" ? (parsedText(recorded) ?? recorded) : recorded;
  const texts = content.map((block) => (member(block, "type") === "text" ? member(block, "text") : undefined));
  if (texts.length === 0) return member(recorded, "structuredContent") ?? content;
  if (!texts.every((text) => typeof text === "string")) return content;
  const text = texts.join("\n");
  return parsedText(text) ?? text;
}

/** A value in one line of at most so many characters. */
export function onOneLine(value: unknown, most = 160): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") {
    return value
      .slice(0, most * 2)
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, most);
  }
  return isContainer(value) ? preview(value, most) : String(value);
}
