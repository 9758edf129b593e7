import { HIDDEN } from "./visible";

/** One step into JSON: the name of a member, or the index of an item. */
export type Step = string | number;

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The path to a value in the syntax of `jq`: `.items[0]["odd key"]`, `.` for the whole. */
export function jsonPath(steps: readonly Step[]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "string" && PLAIN.test(step)) path += `.${step}`;
    else path += `${path === "" ? "." : ""}[${typeof step === "number" ? step : quoted(step)}]`;
  }
  return path || ".";
}

function quoted(key: string): string {
  return JSON.stringify(key).replace(HIDDEN, (character) =>
    [...Array(character.length).keys()].map((at) => unit(character.charCodeAt(at))).join(""),
  );
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
