import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { isNotFound, isServed } from "@/api/client";
import type { Place } from "@/api/queries";
import { replayQuery } from "@/api/replay";
import { useTrace } from "@/api/use-trace";
import { Empty, Failure, Skeleton } from "@/ui/notice";
import { PageTitle } from "@/ui/page-title";
import { useReady } from "@/ui/use-ready";
import { type Projections, TraceBody } from "./trace-body";
import css from "./trace-page.module.css";
import type { TraceSearch } from "./url";
import { usePicture } from "./use-picture";

interface Props extends Projections {
  place: Place;
  search: TraceSearch;
}

/** A run or a trace: its sums, its failures, and its spans in one of three views, with the selected span. */
export function TracePage({ place, search, ...projections }: Props) {
  const { live, reload } = useTrace(place);
  const { picture, live: shown, unknown, inferring } = usePicture(live, place, search);
  // Asked for together with the rows, of a run.
  const runId = "runId" in place ? place.runId : (live.trace?.run_id ?? "");
  const replays = useQuery({ ...replayQuery(runId, false), enabled: runId !== "" && isServed() });
  const ready = useReady(picture.rows.length > 0, inferring || replays.isLoading);
  return (
    <div className={css.page}>
      {shown.trace && ready ? (
        <>
          {unknown && (
            <p className={css.note} role="note">
              Conversations are unknown: the model calls were recorded without their messages, as with
              INSPECTOR_CAPTURE_CONTENT=false.
            </p>
          )}
          <TraceBody
            {...{ picture, search, inferring }}
            {...shown}
            trace={shown.trace}
            error={live.error}
            onReload={reload}
            {...projections}
          />
        </>
      ) : (
        <>
          <PageTitle title="Run" />
          {live.error ? <Missing error={live.error} onReload={reload} /> : <Skeleton rows={16} />}
        </>
      )}
    </div>
  );
}

function Missing({ error, onReload }: { error: Error; onReload: () => void }) {
  if (!isNotFound(error, true)) return <Failure error={error} retry={onReload} />;
  return (
    <Empty title="Run not found">
      <p>It was deleted or has expired, or the link is incomplete.</p>
      <Link to="/">Go to the runs</Link>
    </Empty>
  );
}
