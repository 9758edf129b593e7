import { type Call, type Calls, calleeKind, isHousekeeping } from "@/lib/calls";
import { previousModelCall, talkSteps } from "@/lib/previous-call";
import { endMs } from "@/lib/spans";
import { PART, type Steps } from "@/lib/steps";

/** The position among concurrent calls of one caller: number `at` of `of`. */
export interface Parallel {
  at: number;
  of: number;
}

interface EntryBase {
  id: string;
  call: Call;
  /** How many calls it is nested in. */
  depth: number;
  /** The call of the agent that it belongs to, or the root call. */
  thread: Call;
  parallel: Parallel | null;
  /** The threads that continue to the left of it, the outermost first. */
  outer: readonly Call[];
}

/** The input of a run or one of its workflows. */
export interface InputEntry extends EntryBase {
  kind: "input";
}

/** The start of an agent. */
export interface AgentStart extends EntryBase {
  kind: "agent";
  /** Whether its first model call shows its input. */
  hasTurns: boolean;
}

/** A model call: what is new to the model, and its answer. */
export interface Turn extends EntryBase {
  kind: "turn";
  /** The model call of the same agent before it. */
  previous: Call | null;
  /** The tool calls between this model call and the next one. */
  tools: Call[];
}

/** A tool call, or a fetched resource or prompt. */
export interface ToolCall extends EntryBase {
  kind: "tool";
}

/** How a workflow or an agent ended, with its output. */
export interface Outcome extends EntryBase {
  kind: "outcome";
  /** The last model call in it, whose answer is often the outcome. */
  answer: Call | null;
}

/** One item of a transcript. */
export type Entry = InputEntry | AgentStart | Turn | ToolCall | Outcome;

export interface Transcript {
  /** In order of start, the calls inside a call directly after it. */
  entries: Entry[];
  /** The entry of each call. */
  places: Map<Call, number>;
}

type Step =
  | { enter: Call; depth: number; thread: Call | null; parallel: Parallel | null }
  | { leave: Call; depth: number; thread: Call };

/** Turn the calls of a run into a transcript. */
export function* transcriptSteps(calls: Calls): Steps<Transcript> {
  yield* talkSteps(calls.rows);
  const writer = new TranscriptWriter(calls);
  const waiting: Step[] = calls.roots
    .map((call): Step => ({ enter: call, depth: 0, thread: null, parallel: null }))
    .reverse();
  let count = 0;
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    if (++count % PART === 0) yield;
    if ("leave" in step) {
      writer.leave(step.leave, step.depth, step.thread);
      continue;
    }
    const { enter: call, depth } = step;
    const isThread = step.thread === null || call.row.kind === "agent" || call.row.kind === "workflow";
    const thread = isThread ? call : (step.thread ?? call);
    writer.enter(call, depth, thread, step.parallel);
    if (isThread) waiting.push({ leave: call, depth, thread });
    const inside = depth + depthOf(call, step.thread);
    const parallels = parallelsOf(call.children);
    for (let at = call.children.length - 1; at >= 0; at--) {
      const child = call.children[at] as Call;
      const isInner = child.row.kind === "agent" && call.row.kind === "agent" ? 1 : 0;
      waiting.push({ enter: child, depth: inside + isInner, thread, parallel: parallels.get(child) ?? null });
    }
  }
  return { entries: writer.entries, places: writer.places };
}

/** How much deeper the calls inside a call are: those of a tool are indented, those of an agent are not. */
function depthOf(call: Call, thread: Call | null): number {
  const kind = calleeKind(call.row);
  if (thread === null || kind === "agent" || kind === "workflow" || kind === "llm") return 0;
  return isHousekeeping(call) ? 0 : 1;
}

/** Groups of calls that overlap in time, model calls separately from others. */
function parallelsOf(children: readonly Call[]): Map<Call, Parallel> {
  const found = new Map<Call, Parallel>();
  let group: Call[] = [];
  let until = Number.NEGATIVE_INFINITY;
  const close = () => {
    for (const [at, call] of group.length > 1 ? group.entries() : []) found.set(call, { at: at + 1, of: group.length });
    group = [];
    until = Number.NEGATIVE_INFINITY;
  };
  for (const call of children) {
    if (isHousekeeping(call)) continue;
    const { row } = call;
    const first = group[0];
    // With two clocks, or one that counts milliseconds, sequential calls may seem to overlap a little.
    if (!first || row.startMs > until - 1 || (row.kind === "llm") !== (first.row.kind === "llm")) close();
    group.push(call);
    until = Math.max(until, endMs(row, Number.POSITIVE_INFINITY));
  }
  close();
  return found;
}

const NO_THREADS: readonly Call[] = [];
const MOST_OUTER = 8;

/** Collects the entries, and remembers what later ones refer to. */
class TranscriptWriter {
  readonly entries: Entry[] = [];
  readonly places = new Map<Call, number>();
  readonly #calls: Calls;
  /** The last model call of each thread. */
  readonly #lastOf = new Map<Call, Turn>();
  readonly #answers = new Map<Call, Call>();
  /** The last thread at each depth. */
  readonly #threads: Call[] = [];
  readonly #starts = new Map<Call, AgentStart>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  enter(call: Call, depth: number, thread: Call, parallel: Parallel | null): void {
    const base = { id: call.row.id, call, depth, thread, parallel, outer: this.#outer(depth) };
    switch (calleeKind(call.row)) {
      case "agent": {
        const start: AgentStart = { ...base, kind: "agent", hasTurns: false };
        this.#starts.set(call, start);
        this.#add(start);
        return;
      }
      case "llm": {
        const turn: Turn = { ...base, kind: "turn", previous: this.#previous(call), tools: [] };
        this.#lastOf.set(thread, turn);
        this.#answers.set(thread, call);
        const start = this.#starts.get(thread);
        if (start) start.hasTurns = true;
        this.#add(turn);
        return;
      }
      case "workflow":
      case "other":
        this.#add({ ...base, kind: "input" });
        return;
      case "rpc":
        // Requests that only keep a connection going are shown only if they failed.
        if (call.row.status !== "ok" && call.row.status !== "running") this.#add({ ...base, kind: "tool" });
        return;
      default: {
        const turn = this.#lastOf.get(thread);
        if (turn && (turn.call.parent === call.parent || turn.call === call.parent)) turn.tools.push(call);
        this.#add({ ...base, kind: "tool" });
      }
    }
  }

  leave(call: Call, depth: number, thread: Call): void {
    const answer = this.#answers.get(thread) ?? null;
    const around = call.parent && threadAround(call.parent);
    // A workflow's answer is that of its last agent; an agent that is called as a tool answers only its caller.
    if (answer && around && around.row.kind !== "agent") this.#answers.set(around, answer);
    const kind = calleeKind(call.row);
    if (kind !== "agent" && kind !== "workflow" && kind !== "other") return;
    // The end of an inferred agent was not recorded; its last answer is directly above.
    if (call.row.inferred) return;
    const outcome: Outcome = {
      id: `${call.row.id}-end`,
      call,
      depth,
      thread,
      parallel: null,
      outer: this.#outer(depth),
      kind: "outcome",
      answer,
    };
    this.entries.push(outcome);
  }

  #outer(depth: number): readonly Call[] {
    return depth === 0 ? NO_THREADS : this.#threads.slice(0, Math.min(depth, MOST_OUTER));
  }

  #add(entry: Entry): void {
    if (entry.depth < MOST_OUTER) {
      this.#threads.length = Math.min(this.#threads.length, entry.depth);
      this.#threads.push(entry.thread);
    }
    this.places.set(entry.call, this.entries.length);
    this.entries.push(entry);
  }

  #previous(call: Call): Call | null {
    const row = previousModelCall(this.#calls.rows, call.row.id);
    return (row && this.#calls.of.get(row.id)) ?? null;
  }
}

/** The agent or workflow that a call is made in. */
function threadAround(call: Call): Call | null {
  let at: Call | null = call;
  while (at && at.row.kind !== "agent" && at.row.kind !== "workflow" && at.parent) at = at.parent;
  return at;
}

/** The entry of a span: its own, or that of the enclosing call. */
export function placeOf({ places }: Transcript, calls: Calls, spanId: string): number | null {
  for (let call = calls.of.get(spanId) ?? null; call; call = call.parent) {
    const place = places.get(call);
    if (place !== undefined) return place;
  }
  return null;
}
