/** A label of a run or a span, as in the API. */
export interface Label {
  label_id: string;
  run_id: string | null;
  trace_id: string | null;
  span_id: string | null;
  name: string;
  score: number | null;
  value: string | null;
  note: string | null;
  author: string | null;
  source: "person" | "code" | "model";
  time_unix_nano: string;
}

/** A label as the user types it: a name, alone or with a number or a word. */
export interface TypedLabel {
  name: string;
  score?: number;
  value?: string;
}

/** Read `good`, `quality=0.8` or `relevance=fair`; null for any other text. */
export function parsedLabel(text: string): TypedLabel | null {
  const [, name, word] = /^([^<>=\p{C}]{1,100})(?:=([^\p{C}]{1,200}))?$/u.exec(text.trim()) ?? [];
  if (name === undefined || name.trim() === "") return null;
  if (word === undefined) return { name: name.trim() };
  const score = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(word.trim()) ? Number(word) : Number.NaN;
  return Math.abs(score) <= 1e15 ? { name: name.trim(), score } : { name: name.trim(), value: word.trim() };
}

/** A label on one line: `quality 0.8`, `relevance fair`, `good`. */
export function labelText({ name, score, value }: Pick<Label, "name" | "score" | "value">): string {
  const number = score === null ? null : String(Number(score.toPrecision(6)));
  return [name, number, value].filter((part) => part !== null).join(" ");
}

/** The note, the author and the place of a label, for its tooltip. */
export function labelTitle(label: Label): string {
  const by = label.author ?? { person: "a person", code: "the program", model: "a model" }[label.source];
  return [label.note, `by ${by}`, label.span_id !== null && "on a span"].filter(Boolean).join(" · ");
}

/** Equal labels counted; good and bad first. */
export function counted(labels: readonly Label[]): { label: Label; count: number }[] {
  const found = new Map<string, { label: Label; count: number }>();
  for (const label of labels) {
    const text = labelText(label);
    const known = found.get(text);
    if (known) known.count += 1;
    else found.set(text, { label, count: 1 });
  }
  const isVerdict = ({ label }: { label: Label }) => label.name === "good" || label.name === "bad";
  return [...found.values()].sort((a, b) => Number(isVerdict(b)) - Number(isVerdict(a)));
}

/** Whether the user of this page set it, as far as is known. */
export function isMine({ author, source }: Pick<Label, "author" | "source">): boolean {
  return author === null && source === "person";
}
