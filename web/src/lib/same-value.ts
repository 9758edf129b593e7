import { stringifySearch } from "./address";
import { isContainer, scalarText } from "./json";
import type { Step } from "./json-path";

/** Which side of a call a value stands on, as the filter names it. */
export type Side = "args" | "result";

/** What the API takes at most of a path and of a value. */
const LONGEST = { path: 250, value: 1024 };

/** The path to a value as the filters `args` and `result` take it: `rows[0].id`. */
export function valuePath(steps: readonly Step[]): string {
  return steps.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

/** The address of the spans that have the same value at the same place; null where none could be told. */
export function spansWith(side: Side, steps: readonly Step[], value: unknown): string | null {
  const path = valuePath(steps);
  const text = isContainer(value) ? null : typeof value === "string" ? value : scalarText(value);
  if (text === null || path === "" || /[=\0]/.test(path) || text.includes("\0")) return null;
  if (path.length > LONGEST.path || text.length > LONGEST.value) return null;
  return `#/spans${stringifySearch({ [side]: `${path}=${text}` })}`;
}
