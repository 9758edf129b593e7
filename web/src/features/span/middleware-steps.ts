import { duration, plural } from "@/lib/format";
import { isObject, member, readValue } from "@/lib/json";
import { type JsonChange, jsonChanges } from "./json-changes";

/** What one middleware did to a call. */
export interface MiddlewareStep {
  name: string;
  /** In words, in order of time. */
  did: string[];
  /** Whether it only passed the call on, or was not reached. */
  quiet: boolean;
  /** Whether it raised, or is a guardrail or controller that refused. */
  failed: boolean;
  /** The differences between the arguments it received and those it passed on. */
  args: JsonChange[];
  /** The differences between the result it received and the one it returned. */
  result: JsonChange[];
  /** Its answer instead of the call, or what it left of the result; undefined if neither was recorded. */
  answer: unknown;
  /** Whether it removed a part of the result, which was then not recorded. */
  removed: boolean;
  /** The outcome of each attempt, if it made the call more than once. */
  attempts: string[];
}

/** The names of a call's input and output. */
export interface Sides {
  args: string;
  result: string;
}

/** Read what each middleware did, in declared order; entries in another format are skipped. */
export function readMiddleware(recorded: unknown, sides: Sides): MiddlewareStep[] {
  const entries = readValue(recorded);
  return Array.isArray(entries) ? entries.filter(isObject).map((entry) => step(entry, sides)) : [];
}

/** Read what the program's controller did; null if none was asked. */
export function readController(recorded: unknown, sides: Sides): MiddlewareStep | null {
  const entry = readValue(recorded);
  if (!isObject(entry)) return null;
  const [controller, by, waited] = [member(entry, "controller"), member(entry, "by"), member(entry, "waited_ms")];
  const name = typeof controller === "string" && controller !== "" ? controller : "controller";
  const args = member(entry, "args");
  const found = step({ name, did: member(entry, "did"), args, message: member(entry, "reason") }, sides);
  const whose = typeof by === "string" ? [`decided by ${by}`] : [];
  const after = typeof waited === "number" ? [`after ${duration(waited)}`] : [];
  return { ...found, did: [...found.did, ...whose, ...after] };
}

function step(entry: object, sides: Sides): MiddlewareStep {
  const name = member(entry, "name");
  const told = member(entry, "did");
  const did = typeof told === "string" ? told : "";
  const result = member(entry, "result");
  const answered = did === "answered";
  const removed = !answered && isObject(result) && !Object.hasOwn(result, "before");
  const found = {
    name: typeof name === "string" && name !== "" ? name : "middleware",
    quiet: did === "passed" || did === "skipped",
    failed: did === "raised" || did === "refused" || did === "denied",
    args: changesIn(member(entry, "args")),
    result: answered || removed ? [] : changesIn(result),
    answer: answered || removed ? member(result, "after") : undefined,
    removed,
  };
  const why = member(entry, "message");
  const said = words(did, callsOf(entry), found, sides);
  if (typeof why === "string") said.push(why);
  const [answer, waited] = [member(entry, "answer"), member(entry, "waited_ms")];
  if (typeof answer === "string") {
    said.push(typeof waited === "number" ? `${answer}, after ${duration(waited)}` : answer);
    const raised = failureOf(entry, "error_message");
    if (raised !== "") said.push(raised);
  }
  return { ...found, failed: found.failed || answer === "raised", did: said, attempts: attemptsOf(entry) };
}

const PLAIN = new Map([
  ["passed", "let it pass"],
  ["answered", "answered instead"],
  ["raised", "raised"],
  ["skipped", "was not reached"],
  ["refused", "refused the call"],
  ["denied", "denied the call"],
  ["asked", "was asked"],
]);

function words(
  did: string,
  calls: number,
  step: Pick<MiddlewareStep, "args" | "result" | "removed">,
  sides: Sides,
): string[] {
  const said = [];
  if (step.args.length > 0) said.push(`changed the ${sides.args}`);
  if (calls > 1) said.push(`ran the call ${plural(calls, "time")}`);
  if (step.result.length > 0) said.push(`changed the ${sides.result}`);
  if (step.removed) said.push(`removed something from the ${sides.result}; what it removed is not recorded`);
  const plain = PLAIN.get(did);
  if (plain !== undefined) said.push(plain);
  else if (said.length === 0) said.push(did === "changed" ? "changed the call" : did || "did something");
  return said;
}

function attemptsOf(entry: object): string[] {
  const attempts = member(entry, "attempts");
  if (!Array.isArray(attempts)) return [];
  return attempts.map((attempt) =>
    member(attempt, "outcome") === "ok" ? "ok" : failureOf(attempt, "message") || "failed",
  );
}

function failureOf(entry: unknown, message: string): string {
  const parts = [member(entry, "error"), member(entry, message)];
  return parts.filter((part) => typeof part === "string").join(": ");
}

function callsOf(entry: object): number {
  const calls = member(entry, "calls");
  return typeof calls === "number" ? calls : 1;
}

function changesIn(change: unknown): JsonChange[] {
  return isObject(change) ? jsonChanges(member(change, "before"), member(change, "after")) : [];
}
