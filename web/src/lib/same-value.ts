import { stringifySearch } from "./address";
import { isContainer, scalarText } from "./json";
import type { Step } from "./json-path";

/** The side of a call that a value is on, as in filters. */
export type Side = "args" | "result";

/** The API's limits for a path and a value. */
const LONGEST = { path: 250, value: 1024 };

/** The path to a value in the syntax of the filters `args` and `result`: `rows[0].id`. */
export function valuePath(steps: readonly Step[]): string {
  return steps.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

/** The address of the spans with the same value at the same path; null if a filter cannot express it. */
export function spansWith(side: Side, steps: readonly Step[], value: unknown): string | null {
  const path = valuePath(steps);
  const text = isContainer(value) ? null : typeof value === "string" ? value : scalarText(value);
  if (text === null || path === "" || /[=\0]/.test(path) || text.includes("\0")) return null;
  if (path.length > LONGEST.path || text.length > LONGEST.value) return null;
  return `#/spans${stringifySearch({ [side]: `${path}=${text}` })}`;
}
