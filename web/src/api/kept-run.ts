import { type Hit, type HitSource, hitsFinder } from "@/lib/hits";
import { answer, json, notHere, wordsOf } from "./kept-answers";
import type { components } from "./schema";
import { linesOf, partId } from "./unpacked";

type Schemas = components["schemas"];

/** The run in a page that contains one, except for the full spans. */
export interface Head {
  run: Schemas["Run"];
  traces: Schemas["Trace"][];
  outline: Schemas["RunOutline"];
  turns: Schemas["Turn"][];
  labels: Schemas["Label"][];
  /** The first row of the outline in each part; the parts are consecutive. */
  begins: number[];
}

/** Lines of a span in a part: the full span, and its preview or null. */
const LINES = 2;

/** A run in the page itself; answers like an inspector that recorded nothing else. */
export class KeptRun {
  readonly id: string;
  readonly ids: string[];
  readonly #head: Head;
  readonly #first: number;
  readonly #rows = new Map<string, number>();

  /** `first` is the number of the part with the head. */
  constructor(head: Head, first = 0) {
    this.id = head.run.run_id;
    this.ids = [this.id];
    this.#first = first;
    this.#head = head;
    for (const [row, spanId] of head.outline.columns.span_id.entries()) {
      this.#rows.set(`${this.#traceAt(row)}/${spanId}`, row);
      // Without a trace: as of a server, the latest of that id.
      this.#rows.set(spanId, row);
    }
  }

  /** Answer a request like a server; what is not in the file gets a 404. */
  async answer(question: Request): Promise<Response> {
    const url = new URL(question.url);
    const [noun, id, of] = wordsOf(url);
    const { run, traces, outline, turns } = this.#head;
    const search = url.searchParams;
    if (question.method === "GET") {
      if (noun === "events" && id) return this.#event(id, search.get("trace_id"));
      if (noun === "labels") return json({ items: this.#labels(search), next_cursor: null });
      if (noun === "runs" && id === this.id) {
        if (of === undefined) return json({ run, items: traces, next_cursor: null });
        if (of === "outline") return json(outline);
        if (of === "turns") return json({ items: turns, next_cursor: null });
        if (of === "previews") return json({ items: await this.#previews(search.getAll("span_id")) });
        if (of === "hits") return json(await this.#hits(search.get("q") ?? "", Number(search.get("limit"))));
      }
    }
    return notHere();
  }

  #traceAt(row: number): string {
    const { trace, traces } = this.#head.outline;
    return traces[trace[row] ?? 0] ?? "";
  }

  async #event(spanId: string, traceId: string | null): Promise<Response> {
    const row = this.#rows.get(traceId === null ? spanId : `${traceId}/${spanId}`);
    if (row === undefined) return notHere();
    return answer((await this.#lines(row))[0]);
  }

  async #previews(spanIds: readonly string[]): Promise<unknown[]> {
    const rows = spanIds.flatMap((spanId) => this.#rows.get(spanId) ?? []);
    const lines = await Promise.all(rows.map((row) => this.#lines(row)));
    return lines.map(([, preview]) => JSON.parse(preview)).filter((preview) => preview !== null);
  }

  #labels(search: URLSearchParams): Schemas["Label"][] {
    const [traceId, spanId] = [search.get("trace_id"), search.get("span_id")];
    if (spanId === null) return this.#head.labels;
    return this.#head.labels.filter((label) => label.trace_id === traceId && label.span_id === spanId);
  }

  async #hits(q: string, limit: number): Promise<Schemas["Hits"]> {
    const placesOf = hitsFinder(q);
    const items: Hit[] = [];
    const spanIds = this.#head.outline.columns.span_id;
    for (const [part, begin] of this.#head.begins.entries()) {
      const lines = await linesOf(partId(this.#first + part + 1));
      for (let at = 0; at * LINES < lines.length; at++) {
        const places = placesOf(JSON.parse(lines[at * LINES] ?? "null") as HitSource);
        if (places !== null) items.push({ span_id: spanIds[begin + at] ?? "", places });
      }
    }
    return { items: items.slice(0, limit), total: items.length, complete: true };
  }

  async #lines(row: number): Promise<[string, string]> {
    const { begins } = this.#head;
    const part = begins.findLastIndex((begin) => begin <= row);
    const lines = await linesOf(partId(this.#first + part + 1));
    const at = (row - (begins[part] ?? 0)) * LINES;
    return [lines[at] ?? "null", lines[at + 1] ?? "null"];
  }
}
