import type { Diff, DiffStep } from "@/api/diff";
import { count, plural } from "@/lib/format";

/** Where the runs diverge, in a sentence; null if they do not. */
export function partingSentence({ first, steps }: Diff): string | null {
  const step = first === null ? undefined : steps[first];
  if (first === null || step === undefined) return null;
  return `The runs diverge at call ${count(first + 1)} of ${count(steps.length)}, ${step.name}: ${what(step)}.`;
}

function what({ a, b, differences }: DiffStep): string {
  if (a === null) return "only the second run made it";
  if (b === null) return "only the first run made it";
  return differences.includes("answer") ? "its result differs" : "it was called in a different order";
}

/** What differs in a call, in a few words. */
export function differenceWords({ differences, changed, more }: DiffStep): string {
  const words = changed.map(({ label }) => label);
  if (more > 0) words.push(`${plural(more, "more part")}`);
  if (differences.includes("answer")) words.push("answer");
  if (differences.includes("order")) words.push("order");
  if (differences.includes("only a")) words.push("first run only");
  if (differences.includes("only b")) words.push("second run only");
  return words.join(", ");
}

/** What was not compared, in words; null if nothing was left out. */
export function ignoredWords(ignored: Diff["ignored"]): string | null {
  const parts = Object.entries(ignored)
    .filter(([, number]) => number > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, number]) => plural(number, name));
  return parts.length > 0 ? `${parts.join(", ")} inside texts` : null;
}

/** What differs in the programs, in words. */
export function programWords(changes: Diff["program"]): string {
  return changes.map(({ name, a, b }) => `${name} ${a} became ${b}`).join(", ");
}

/** That the runs are not of one program, in a sentence; null if they are, or if that is not known. */
export function programsSentence({ a, b }: Pick<Diff, "a" | "b">): string | null {
  if (a.service === null || b.service === null || a.service === b.service) return null;
  return `The runs are of different programs: ${a.service} and ${b.service}.`;
}
