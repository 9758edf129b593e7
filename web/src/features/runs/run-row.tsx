import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { Trash2 } from "lucide-react";
import { memo } from "react";
import type { Trace } from "@/api/client";
import { count, duration, plural } from "@/lib/format";
import { unixMs } from "@/lib/time";
import { visibleLine } from "@/lib/visible";
import { CallsValue, ListRow, TokenValue, Value } from "@/ui/list";
import { Recorded } from "@/ui/recorded";
import { rowClicks } from "@/ui/row-clicks";
import { SpanName } from "@/ui/span-name";
import { StatusMark } from "@/ui/status";
import { SummedCost } from "@/ui/summed-cost";
import { Timeline } from "@/ui/timeline";
import { useNow } from "@/ui/use-now";
import type { RowPlace } from "@/ui/virtual-grid";
import { When } from "@/ui/when";
import css from "./runs-list.module.css";
import { Snippet } from "./snippet";

interface Props extends RowPlace {
  run: Trace;
  q: string | undefined;
  indented: boolean;
  onOpen: (traceId: string, elsewhere: boolean) => void;
  onDelete: (run: Trace) => void;
}

/** One run. The whole row opens it; its name is the link. */
export const RunRow = memo(function RunRow({ run, q, indented, onOpen, onDelete, ...place }: Props) {
  return (
    <ListRow
      {...place}
      className={clsx(indented && css.indented)}
      {...rowClicks((elsewhere) => onOpen(run.trace_id, elsewhere))}
    >
      <Value>
        <StatusMark status={run.status} />
      </Value>
      <Value look="text" className={css.name}>
        <Link
          to="/traces/$traceId"
          params={{ traceId: run.trace_id }}
          search={q ? { find: q } : {}}
          tabIndex={-1}
          className={css.link}
        >
          <SpanName name={run.name} />
        </Link>
        {q && <Snippet traceId={run.trace_id} q={q} />}
      </Value>
      <Value look="text">{run.agent && <Recorded text={run.agent} />}</Value>
      <Value className={css.timeline}>
        <Timeline
          bars={run.timeline ?? []}
          totalMs={run.duration_ms}
          startMs={unixMs(run.start_time_unix_nano)}
          running={run.status === "running"}
          label={`${plural(run.llm_calls, "model call")}, ${plural(run.tool_calls, "tool call")}`}
        />
      </Value>
      <Value look="number">{run.status === "running" ? <Lasting run={run} /> : duration(run.duration_ms)}</Value>
      <CallsValue of={run} />
      <Value look="number" bad={run.errors > 0}>
        {count(run.errors)}
      </Value>
      <Value look="text">{run.models.length > 0 ? <Recorded text={run.models.join(", ")} /> : null}</Value>
      <TokenValue sums={run} />
      <Value look="number">
        <SummedCost of={run} />
      </Value>
      <Value look="text">{run.session_id && <Recorded text={run.session_id} />}</Value>
      <Value look="number">
        <When time={run.start_time_unix_nano} />
      </Value>
      <Value>
        <button
          type="button"
          tabIndex={-1}
          className={css.delete}
          title="Delete this run"
          aria-label={`Delete the run ${visibleLine(run.name)}`}
          onClick={() => onDelete(run)}
        >
          <Trash2 size={14} aria-hidden />
        </button>
      </Value>
    </ListRow>
  );
});

const TICK_MS = 250;

function Lasting({ run }: { run: Trace }) {
  const now = useNow(TICK_MS);
  return <span className={css.running}>{duration(Math.max(0, now - unixMs(run.start_time_unix_nano)))}</span>;
}
