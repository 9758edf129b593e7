import { isContainer, preview, readValue } from "@/lib/json";
import type { Messages, Part } from "@/lib/messages";

/** A tool's result as the model received it: without MCP's envelope, and parsed if its text is JSON. */
export function toolResult({ output, messages }: { output: unknown; messages: Pick<Messages, "output"> }): unknown {
  if (typeof output === "string") return readValue(output);
  const parts = messages.output.flatMap((message) => message.parts);
  const content = parts.filter(({ type }) => type !== "structured");
  const [first] = content;
  if (!first) return parts[0]?.type === "structured" ? parts[0].content : output;
  if (content.length === 1 && first.type === "json") return first.content;
  const texts = content.flatMap((part) => (part.type === "text" ? part.content : []));
  return texts.length === content.length ? readValue(texts.join("\n")) : output;
}

/** A tool's result in one line: its texts, with the type and format of each file among them. */
export function resultLine(span: Parameters<typeof toolResult>[0]): string {
  const parts = span.messages.output.flatMap((message) => message.parts);
  if (!parts.some(({ type }) => type === "blob")) return onOneLine(toolResult(span));
  return onOneLine(parts.flatMap((part) => wordsOf(part) ?? []).join(", "));
}

function wordsOf(part: Part): string | null {
  if (part.type === "text") return part.content;
  return "modality" in part ? [part.modality, part.mime_type].filter(Boolean).join(" ") : null;
}

const LONGEST = 160;

/** A value in one line, shortened; empty for none. */
export function onOneLine(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return isContainer(value) ? preview(value, LONGEST) : String(value);
  // Only the beginning of a very long text is examined.
  const line = value
    .slice(0, LONGEST * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > LONGEST || value.length > LONGEST * 4 ? `${line.slice(0, LONGEST - 1)}…` : line;
}
