import { answer, json, notHere, wordsOf } from "./kept-answers";
import { type Head, KeptRun } from "./kept-run";
import type { components } from "./schema";
import { linesOf, partId } from "./unpacked";

type Schemas = components["schemas"];

/** The comparison in a page that contains two runs. */
export interface DiffHead {
  diff: Schemas["Diff"];
  /** The first step of each part with calls; the parts are consecutive. */
  begins: number[];
  /** The numbers of the first parts of the runs. */
  runs: [number, number];
}

/** Two runs in the page itself, compared; answers like an inspector that recorded nothing else. */
export class KeptDiff {
  readonly ids: string[];
  readonly #head: DiffHead;
  readonly #runs: KeptRun[];
  readonly #steps: Map<string, number>;

  constructor(head: DiffHead, runs: KeptRun[]) {
    this.#head = head;
    this.#runs = runs;
    this.ids = runs.map(({ id }) => id);
    this.#steps = new Map(head.diff.steps.map(({ a, b }, step) => [`${placeOf(a)} ${placeOf(b)}`, step]));
  }

  static async of(head: DiffHead): Promise<KeptDiff> {
    const runs = head.runs.map(async (part) => {
      const [line] = await linesOf(partId(part));
      return new KeptRun(JSON.parse(line ?? "") as Head, part);
    });
    return new KeptDiff(head, await Promise.all(runs));
  }

  /** Answer a request like a server; what is not in the file gets a 404. */
  async answer(question: Request): Promise<Response> {
    const url = new URL(question.url);
    const [noun, of] = wordsOf(url);
    if (noun === "diff" && of === undefined) return json(this.#head.diff);
    if (noun === "diff" && of === "calls") return this.#calls(url.searchParams);
    for (const run of this.#runs) {
      const found = await run.answer(question.clone());
      if (found.ok) return found;
    }
    return notHere();
  }

  async #calls(search: URLSearchParams): Promise<Response> {
    const step = this.#steps.get(`${search.get("a") ?? ""} ${search.get("b") ?? ""}`);
    if (step === undefined) return notHere();
    const { begins } = this.#head;
    const part = begins.findLastIndex((begin) => begin <= step);
    const lines = await linesOf(partId(part + 1));
    return answer(lines[step - (begins[part] ?? 0)] ?? "null");
  }
}

function placeOf(call: Schemas["DiffCall"] | null): string {
  return call === null ? "" : `${call.trace_id}.${call.span_id}`;
}
