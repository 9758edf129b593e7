import { queryOptions } from "@tanstack/react-query";
import { client, unwrap } from "./client";

/** The original and the replays of a run; with `judge`, also whether it can be replayed, which checks its calls. */
export function replayQuery(runId: string, judge: boolean) {
  return queryOptions({
    queryKey: ["replay", runId, judge],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/runs/{run_id}/replay", { params: { path: { run_id: runId }, query: { judge } }, signal })),
  });
}
