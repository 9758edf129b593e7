import { isObject, parseJson, plainText } from "@/lib/json";
import type { SpanRow } from "@/lib/spans";

/** The preview of a call, a line each for input and output. */
export interface RowPreview {
  input: string | null;
  output: string | null;
  error: string | null;
}

/**
 * The preview in the row of a call: of its recorded input and output, or for an inferred call of those in messages.
 *
 * @param isTurn Whether it is below the agent whose input is the question of its prompt, which then is not repeated.
 * @param isOpen Whether the calls below it are visible, of which the last turn shows the answer.
 */
export function previewOf(
  row: SpanRow,
  previews: ReadonlyMap<string, RowPreview>,
  isTurn: boolean,
  isOpen: boolean,
): RowPreview | null {
  const { inferred } = row;
  if (inferred?.what === "conversation") {
    const [first, last] = [previews.get(inferred.first), previews.get(inferred.last)];
    const [output, error] = isOpen ? [null, null] : [last?.output ?? null, last?.error ?? null];
    return { input: first?.input ?? null, output, error };
  }
  if (inferred) {
    const [input, result] = [onOneLine(inferred.arguments), inferred.result && onOneLine(inferred.result)];
    return row.status === "error" ? { input, output: null, error: result } : { input, output: result, error: null };
  }
  const line = previews.get(row.id) ?? null;
  return line && isTurn && row.kind === "llm" ? { ...line, input: null } : line;
}

/** The recorded calls that the preview of a row is made from. */
export function sourcesOf({ inferred }: SpanRow): readonly string[] {
  return inferred?.what === "conversation" ? [inferred.first, inferred.last] : [];
}

/** An object as a list of its members, any other text unchanged. */
function onOneLine(text: string): string {
  const value = read(text);
  if (!isObject(value)) return text;
  const members = Object.entries(value).map(([key, member]) => `${key}: ${plainText(member, 0)}`);
  return members.join(", ");
}

function read(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
