import { duplicatesOf } from "./duplicates";
import type { SpanRow } from "./spans";
import { PART, type Steps } from "./steps";
import { type Tree, treeSteps } from "./tree";

/**
 * One call of a run: a workflow, an agent, a model, a tool.
 *
 * Several spans can record the same call: the client's tool span, the JSON-RPC request that carried it and the server's
 * own tool span. The server knows which model, tool and agent spans are duplicates (`foldedInto`), so the page counts
 * as it does.
 */
export interface Call {
  /** The caller's span. */
  row: SpanRow;
  /** The other spans of the same call, by start. */
  echoes: SpanRow[];
  parent: Call | null;
  /** By start. */
  children: Call[];
  /** The agent's own name for an agent call, otherwise the agent that made the call. */
  agent: string | null;
}

/** The calls of a run, and the call of each span. */
export interface Calls {
  /** The rows that they were read from. */
  rows: readonly SpanRow[];
  roots: Call[];
  /** By span id; a span between calls belongs to the enclosing call. */
  of: Map<string, Call>;
  /** All calls, callers before callees. */
  all: Call[];
}

/** The relation of a row to the enclosing call; only a row of kind `other` is between calls. */
type Part = "call" | "echo" | "between";

/** For each row the place of the row that represents its call. */
export function* callPlaces(rows: readonly SpanRow[]): Steps<Int32Array> {
  const tree = yield* treeSteps(rows);
  const same = yield* sameCalls(rows, tree);
  const places = new Int32Array(rows.length);
  // Whether a row is on the far side of a request: a row with the same name there is the same call.
  const across = new Uint8Array(rows.length);
  for (const [count, at] of tree.order.entries()) {
    if (count % PART === 0) yield;
    const row = rows[at] as SpanRow;
    const above = tree.parent[at] as number;
    const far = above >= 0 && across[above] === 1;
    if (same[at] !== at) {
      places[at] = places[same[at] as number] as number;
      across[at] = row.kind === "rpc" ? 1 : 0;
      continue;
    }
    const around = above < 0 ? -1 : (places[above] as number);
    const part = partOf(row, rows[around] ?? null, far);
    across[at] = row.kind === "rpc" || (part === "between" && far) ? 1 : 0;
    places[at] = part === "call" ? at : around;
  }
  return places;
}

/** For each row the place of the outermost row of the same call, as the server says; otherwise its own place. */
function* sameCalls(rows: readonly SpanRow[], tree: Tree): Steps<Int32Array> {
  const same = new Int32Array(rows.length).map((_, at) => at);
  const duplicates = duplicatesOf(rows);
  if (duplicates.size === 0) return same;
  const outermost = new Map<string, number>();
  for (const [count, at] of tree.order.entries()) {
    if (count % PART === 0) yield;
    const row = rows[at] as SpanRow;
    const counting = row.foldedInto ?? row.id;
    if (!duplicates.has(counting)) continue;
    const top = outermost.get(counting);
    if (top === undefined) outermost.set(counting, at);
    else join(rows, tree, same, at, top);
  }
  return same;
}

/** Join a row to one above it, and with it the requests between the two: they carried that call. */
function join(rows: readonly SpanRow[], tree: Tree, same: Int32Array, at: number, top: number): void {
  same[at] = top;
  const between: number[] = [];
  let above = tree.parent[at] as number;
  while (above >= 0 && same[above] === above && isBetween(rows[above])) {
    between.push(above);
    above = tree.parent[above] as number;
  }
  if (above >= 0 && same[above] === top) for (const each of between) same[each] = top;
}

function isBetween(row: SpanRow | undefined): boolean {
  return row?.kind === "rpc" || row?.kind === "other";
}

/** Find the calls in the spans of a trace. */
export function* callSteps(rows: readonly SpanRow[]): Steps<Calls> {
  const tree = yield* treeSteps(rows);
  const places = yield* callPlaces(rows);
  const found: Calls = { rows, roots: [], of: new Map(), all: [] };
  for (const [count, at] of tree.order.entries()) {
    if (count % PART === 0) yield;
    const row = rows[at] as SpanRow;
    const above = rows[tree.parent[at] ?? -1];
    const parent = (above && found.of.get(above.id)) ?? null;
    const call = places[at] === at ? null : found.of.get((rows[places[at] as number] as SpanRow).id);
    if (call && row.kind !== "other") call.echoes.push(row);
    found.of.set(row.id, call ?? added(found, row, parent));
  }
  return found;
}

function added({ roots, all }: Calls, row: SpanRow, parent: Call | null): Call {
  const agent = row.kind === "agent" ? agentName(row) : (row.agent ?? parent?.agent ?? null);
  const call: Call = { row, echoes: [], parent, children: [], agent };
  if (parent) parent.children.push(call);
  else roots.push(call);
  all.push(call);
  return call;
}

function partOf(row: SpanRow, above: SpanRow | null, far: boolean): Part {
  if (above === null) return "call";
  switch (row.kind) {
    case "rpc":
      return carries(row, above) ? "echo" : "call";
    case "tool":
      // No client recorded this call: the request represents it.
      return far && above.kind === "rpc" && sameTool(toolName(above), toolName(row)) ? "echo" : "call";
    case "resource":
    case "prompt":
      return far && above.kind === row.kind ? "echo" : "call";
    case "other":
      return "between";
    default:
      return "call";
  }
}

/** Whether a request carried the enclosing call, or something that belongs to that. */
function carries(request: SpanRow, above: SpanRow): boolean {
  if (above.kind !== "tool" && above.kind !== "rpc" && above.kind !== "resource" && above.kind !== "prompt")
    return false;
  return request.tool === null || sameTool(toolName(above), request.tool);
}

// Clients put the server's name before the tool's: `travel_desk-weather`, `mcp__travel__weather`.
function sameTool(outer: string | null, inner: string | null): boolean {
  if (outer === null || inner === null) return false;
  if (outer === inner) return true;
  return outer.endsWith(inner) && /[-_.:/]/.test(outer.charAt(outer.length - inner.length - 1));
}

function toolName(row: SpanRow): string | null {
  if (row.tool !== null) return row.tool;
  return row.kind === "tool" ? bare(row.name) : null;
}

/** The name of an agent from its own span. */
export function agentName(row: SpanRow): string {
  return row.agent ?? bare(row.name);
}

const OPERATION = /^(invoke_workflow|invoke_agent|create_agent|execute_tool|chat|text_completion|generate_content) /;

function bare(name: string): string {
  return name.replace(OPERATION, "");
}

/** The name of the callee, without the operation: `weather`, `gpt-4.1`, `trip_planner`. */
export function calleeName(row: SpanRow): string {
  switch (row.kind) {
    case "agent":
      return agentName(row);
    case "llm":
      return row.model ?? bare(row.name);
    case "tool":
    case "rpc":
      return toolName(row) ?? row.name;
    case "prompt":
      return row.name.replace(/^prompts\/get /, "");
    default:
      return bare(row.name);
  }
}

/** The kind of the callee: a request with a tool call that no client recorded is a tool call. */
export function calleeKind(row: SpanRow): SpanRow["kind"] {
  return row.kind === "rpc" && row.tool !== null ? "tool" : row.kind;
}

/** A request that only maintains the connection: `tools/list`, `ping`. */
export function isHousekeeping(call: Call): boolean {
  return calleeKind(call.row) === "rpc";
}

/** The span of a call that counts for it; the outermost if that span is not loaded. */
export function countingRow({ row, echoes }: Call): SpanRow {
  return (row.foldedInto !== null && echoes.find(({ id }) => id === row.foldedInto)) || row;
}

/** A figure of a call, from the span that counts for it. */
export function figureOf(call: Call, key: "inputTokens" | "outputTokens" | "cachedTokens" | "costUsd"): number | null {
  const row = countingRow(call);
  return row.foldedInto === null ? row[key] : null;
}
