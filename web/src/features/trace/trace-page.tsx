import { useTrace } from "@/api/use-trace";
import { Failure, Skeleton } from "@/ui/notice";
import { PageTitle } from "@/ui/page-title";
import { type Projections, TraceBody } from "./trace-body";
import css from "./trace-page.module.css";

/** A whole run: summed up, what failed in it, and its spans in one of three views beside the one that is looked at. */
export function TracePage({ traceId, ...projections }: Projections & { traceId: string }) {
  const live = useTrace(traceId);
  const { trace, rows } = live;
  return (
    <div className={css.page}>
      {trace && rows.length ? (
        <TraceBody live={{ ...live, trace }} onReload={live.reload} {...projections} />
      ) : (
        <>
          <PageTitle title="Run" />
          {live.error ? <Failure error={live.error} retry={live.reload} /> : <Skeleton rows={16} />}
        </>
      )}
    </div>
  );
}
