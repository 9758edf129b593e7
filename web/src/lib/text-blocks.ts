/** Lines of a text that are set alike: prose, code between fences, a table of columns, or the lines of a patch. */
export interface TextBlock {
  look: "prose" | "code" | "table" | "patch";
  /** All of its lines as written, with those of the fences. */
  text: string;
  /** The lines between the fences; null if there are none, or the closing one is missing. */
  code: string | null;
}

// In one pass over a line, however it is made.
const FENCE = /^[ \t]*(?:(`{3,})([^`]*)|(~{3,})([\s\S]*))$/;
const RULE = /^[\s:|-]*$/;
const PATCH = /^diff --git |^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m;

/**
 * Split a text into blocks, so that code and tables in it can be set in a fixed-width font.
 *
 * Nothing is left out or rewritten: the texts of the blocks, joined by line feeds, are the text.
 */
export function textBlocks(text: string): TextBlock[] {
  const lines = text.split("\n");
  const blocks: TextBlock[] = [];
  let prose: string[] = [];
  const flush = () => {
    if (prose.length) blocks.push(block("prose", prose, null));
    prose = [];
  };
  for (let at = 0; at < lines.length; ) {
    const end = fencedEnd(lines, at) ?? tableEnd(lines, at);
    if (end === null) {
      prose.push(lines[at++] as string);
      continue;
    }
    flush();
    blocks.push(setApart(lines.slice(at, end)));
    at = end;
  }
  flush();
  return blocks;
}

/** Whether a text has lines of a patch, as `git diff` prints them. */
export function isPatch(text: string): boolean {
  return PATCH.test(text);
}

/** The line after the closing fence of the one at a place, or after the last line; null if there is no fence. */
function fencedEnd(lines: readonly string[], at: number): number | null {
  const fence = fenceOf(lines[at] as string)?.marks;
  if (fence === undefined) return null;
  for (let end = at + 1; end < lines.length; end++) if (closes(fence, lines[end] as string)) return end + 1;
  return lines.length;
}

/** Whether a line is a closing fence: the same marks, as many or more, and nothing else. */
function closes(marks: string, line: string): boolean {
  const closing = line.trim();
  return closing.startsWith(marks) && closing === marks.charAt(0).repeat(closing.length);
}

/** The line after the table that begins at a place; null if none does. */
function tableEnd(lines: readonly string[], at: number): number | null {
  const rule = lines[at + 1] ?? "";
  if (!isTableRow(lines[at] as string) || !isTableRow(rule) || !RULE.test(rule) || !rule.includes("-")) return null;
  let end = at + 2;
  while (end < lines.length && isTableRow(lines[end] as string)) end++;
  return end;
}

function isTableRow(line: string): boolean {
  const row = line.trim();
  return row.length > 1 && row.startsWith("|") && row.endsWith("|");
}

function fenceOf(line: string): { marks: string; language: string } | null {
  const found = FENCE.exec(line);
  if (!found) return null;
  const [, ticks, afterTicks, tildes, afterTildes] = found;
  return { marks: ticks ?? tildes ?? "", language: (afterTicks ?? afterTildes ?? "").trim() };
}

function setApart(lines: readonly string[]): TextBlock {
  const fence = fenceOf(lines[0] as string);
  if (!fence) return block("table", lines, null);
  const isClosed = lines.length > 1 && closes(fence.marks, lines.at(-1) as string);
  const code = lines.slice(1, isClosed ? -1 : undefined).join("\n");
  const look = fence.language === "diff" || isPatch(code) ? "patch" : "code";
  return block(look, lines, isClosed ? code : null);
}

function block(look: TextBlock["look"], lines: readonly string[], code: string | null): TextBlock {
  return { look, text: lines.join("\n"), code };
}
