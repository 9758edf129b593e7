import { groupedBy } from "@/lib/grouped";
import type { SpanRow } from "@/lib/spans";

/** The parts of a prompt, in their order. */
export const PARTS = ["system", "tools", "user", "assistant", "tool", "file"] as const;
export type Part = (typeof PARTS)[number];

export const PART_LABELS: Record<Part, string> = {
  system: "system",
  tools: "tool definitions",
  user: "user",
  assistant: "assistant",
  tool: "tool results",
  file: "files",
};

/** Approximate tokens per character in English. */
const TOKENS_A_CHARACTER = 1 / 4;
/** A turn has jumped if it grows by this many times the usual growth. */
const JUMP = 3;
const LEAST_JUMP_SHARE = 0.1;
const LEAST_JUMP_TOKENS = 100;

/** The prompt of one model call. */
export interface ContextTurn {
  row: SpanRow;
  /** Tokens of its prompt. */
  tokens: number;
  /** Whether the provider counted them; otherwise they are estimated from the characters, as it counted another turn. */
  counted: boolean;
  /** The tokens of each part, by its share of the characters. */
  parts: Record<Part, number>;
  /** Tokens that were read from a cache; null if unknown. */
  cached: number | null;
  /** The growth since the previous turn in tokens; null for the first turn. */
  grown: number | null;
  /** The part that grew most, if the growth is unusual; with the tools whose results came, if the part is those. */
  jump: { part: Part; tools: readonly string[] } | null;
}

/** The conversations in some rows, each as its turns in order of start; the longest first. */
export function contextsOf(rows: readonly SpanRow[]): ContextTurn[][] {
  const turns = rows.filter((row) => row.turn && row.foldedInto === null);
  return [...groupedBy(turns, ({ turn }) => turn?.conversation).values()]
    .map(contextOf)
    .sort((a, b) => b.length - a.length);
}

/** The turns of the conversation that a call belongs to; empty if that is unknown. */
export function contextAround(rows: readonly SpanRow[], id: string): ContextTurn[] {
  const conversation = rows.find((row) => row.id === id)?.turn?.conversation;
  if (conversation === undefined) return [];
  return contextOf(rows.filter((row) => row.turn?.conversation === conversation && row.foldedInto === null));
}

function contextOf(rows: readonly SpanRow[]): ContextTurn[] {
  const inOrder = rows.toSorted((a, b) => a.startMs - b.startMs);
  let rate = inOrder.map(countedRate).find((each) => each !== null) ?? TOKENS_A_CHARACTER;
  const turns = inOrder.map((row) => {
    // Providers count differently: an estimate by another measure would look like a jump.
    rate = countedRate(row) ?? rate;
    return turnOf(row, rate);
  });
  turns.forEach((turn, at) => {
    const before = turns[at - 1];
    if (before) turn.grown = turn.tokens - before.tokens;
  });
  const growths = turns.flatMap(({ grown }) => (grown !== null && grown > 0 ? [grown] : [])).sort((a, b) => a - b);
  const usual = growths[Math.floor((growths.length - 1) / 2)] ?? 0;
  turns.forEach((turn, at) => {
    const before = turns[at - 1];
    const grown = turn.grown ?? 0;
    // One or two turns do not show a usual growth yet: a third of the whole prompt also stands out.
    const least = growths.length < 3 ? turn.tokens / 3 : JUMP * usual;
    if (!before || grown < least || grown < LEAST_JUMP_TOKENS || grown < LEAST_JUMP_SHARE * turn.tokens) return;
    const by = (part: Part) => turn.parts[part] - before.parts[part];
    const part = PARTS.reduce((most, each) => (by(each) > by(most) ? each : most));
    turn.jump = { part, tools: part === "tool" ? [...new Set(before.row.turn?.asks)] : [] };
  });
  return turns;
}

/** How many tokens a character was to the provider; null if it did not say. */
function countedRate(row: SpanRow): number | null {
  const sum = charactersOf(row);
  return row.inputTokens === null || row.inputTokens === 0 || sum === 0 ? null : row.inputTokens / sum;
}

function charactersOf({ turn }: SpanRow): number {
  return PARTS.reduce((all, part) => all + (turn?.sizes[part] ?? 0), 0);
}

function turnOf(row: SpanRow, rate: number): ContextTurn {
  const sizes = row.turn?.sizes ?? {};
  const sum = charactersOf(row);
  const counted = row.inputTokens !== null;
  const tokens = row.inputTokens ?? Math.ceil(sum * rate);
  const share = (part: Part) => (sum > 0 ? (tokens * (sizes[part] ?? 0)) / sum : 0);
  const parts = Object.fromEntries(PARTS.map((part) => [part, share(part)])) as Record<Part, number>;
  return { row, tokens, counted, parts, cached: row.cachedTokens, grown: null, jump: null };
}

/** Why a turn jumped: `mostly tool results (get_invoice)`. */
export function jumpWords({ part, tools }: { part: Part; tools: readonly string[] }): string {
  const named = tools.length === 0 ? "" : ` (${tools.slice(0, 3).join(", ")}${tools.length > 3 ? ", …" : ""})`;
  return `mostly ${PART_LABELS[part]}${named}`;
}
