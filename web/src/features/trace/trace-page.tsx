import { ApiError } from "@/api/client";
import { useTrace } from "@/api/use-trace";
import { Failure, Skeleton } from "@/ui/notice";
import { type Projections, TraceBody } from "./trace-body";
import css from "./trace-page.module.css";

/** A whole run: summed up, what failed in it, and its spans in one of three views beside the one that is looked at. */
export function TracePage({ traceId, ...projections }: Projections & { traceId: string }) {
  const live = useTrace(traceId);
  const { trace, rows } = live;
  return (
    <div className={css.page}>
      {trace && rows.length ? (
        <>
          {live.error && <Outdated error={live.error} />}
          <TraceBody live={{ ...live, trace }} onReload={live.reload} {...projections} />
        </>
      ) : (
        <>
          <h1 className="visually-hidden">Run</h1>
          {live.error ? <Failure error={live.error} retry={live.reload} /> : <Skeleton rows={16} />}
        </>
      )}
    </div>
  );
}

function Outdated({ error }: { error: Error }) {
  const gone = error instanceof ApiError && error.status === 404;
  return (
    <p role="alert" className={css.outdated}>
      {gone
        ? "This run was deleted. What is shown here is what was loaded before."
        : `Not up to date: ${error.message}`}
    </p>
  );
}
