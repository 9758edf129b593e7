import { jsonText, member, parseJson } from "@/lib/json";

/**
 * A text of a call as a person reads it: JSON with a line for each value, a message as what it says or calls.
 *
 * Anything else, such as a text that was cut, stays as it is.
 */
export function readable(text: string): string {
  if (!/^[[{]/.test(text)) return text;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return text;
  }
  return spoken(value) ?? jsonText(value, 2);
}

/** What messages say, part by part; null for what is none of a message. */
function spoken(value: unknown): string | null {
  if (Array.isArray(value)) {
    const texts = value.map(spoken);
    return texts.length > 0 && texts.every((text) => text !== null) ? texts.join("\n\n") : null;
  }
  const parts = member(value, "parts");
  if (parts !== undefined) return spoken(parts);
  switch (member(value, "type")) {
    case "text":
    case "reasoning":
      return textOf(member(value, "content"));
    case "tool_call":
      return `${textOf(member(value, "name"))}(${textOf(member(value, "arguments"))})`;
    case "tool_call_response":
      return textOf(member(value, "response"));
    default:
      return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value ?? null, 2);
}
