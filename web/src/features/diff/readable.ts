import { jsonText, member, parseJson, plainText } from "@/lib/json";

/**
 * A readable form of a call's text: JSON with a line per value, a message as its text and tool calls.
 *
 * Anything else, such as a shortened text, stays unchanged.
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

/** The texts and tool calls of messages; null for other values. */
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
      return plainText(member(value, "content"));
    case "tool_call":
      return `${plainText(member(value, "name"))}(${plainText(member(value, "arguments"))})`;
    case "tool_call_response":
      return plainText(member(value, "response"));
    default:
      return null;
  }
}
