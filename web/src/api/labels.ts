import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { isMine, type Label } from "@/lib/labels";
import { client, isNotFound, type NewLabel, unwrap } from "./client";

/** What to label: a run or a span. */
export type Labelled = { run_id: string } | { trace_id: string; span_id: string };

/** The labels of a run with those of its spans, or of a span, the latest first. */
export function labelsQuery(target: Labelled) {
  return queryOptions({
    queryKey: ["labels", target],
    queryFn: ({ signal }) => unwrap(client.GET("/labels", { params: { query: { ...target, limit: 200 } }, signal })),
  });
}

/** Label a run or a span. */
export async function giveLabel(target: Labelled, said: Pick<NewLabel, "name" | "score" | "value" | "note">) {
  return await unwrap(client.POST("/labels", { body: { ...target, ...said } as NewLabel }));
}

/** Delete a label; it is not an error if it is already gone. */
export async function removeLabel(labelId: string): Promise<void> {
  try {
    await unwrap(client.DELETE("/labels/{label_id}", { params: { path: { label_id: labelId } } }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Label a run or a span good or bad, or remove such a label given on this page. */
export async function toggleVerdict(target: Labelled, labels: readonly Label[], name: "good" | "bad"): Promise<void> {
  const given = labels.find((label) => label.name === name && isMine(label));
  if (given) await removeLabel(given.label_id);
  else await giveLabel(target, { name });
}

/** Refresh everything that shows labels, or counts by them. */
export function refreshLabels(queries: QueryClient): void {
  for (const key of ["labels", "runs", "stats"]) void queries.invalidateQueries({ queryKey: [key] });
}
