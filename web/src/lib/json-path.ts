/** One step into JSON: the name of a member, or the place of an item. */
export type Step = string | number;

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HIDDEN = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** The path to a value as `jq` takes it: `.items[0]["odd key"]`, `.` for the whole. */
export function jsonPath(steps: readonly Step[]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "string" && PLAIN.test(step)) path += `.${step}`;
    else path += `${path === "" ? "." : ""}[${typeof step === "number" ? step : quoted(step)}]`;
  }
  return path || ".";
}

function quoted(key: string): string {
  return JSON.stringify(key).replace(
    HIDDEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
