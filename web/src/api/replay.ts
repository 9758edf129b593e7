import { queryOptions } from "@tanstack/react-query";
import { client, unwrap } from "./client";

/** The replays of each run; with `judge`, also whether a run can be replayed, for which its calls are checked. */
export function replayQuery(runId: string, judge: boolean) {
  return queryOptions({
    queryKey: ["replay", runId, judge],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/runs/{run_id}/replay", { params: { path: { run_id: runId }, query: { judge } }, signal })),
  });
}
