import { Link } from "@tanstack/react-router";
import { ChevronDown, ChevronRight } from "lucide-react";
import { memo } from "react";
import type { Trace } from "@/api/client";
import { count, plural } from "@/lib/format";
import type { SessionGroup } from "@/lib/session-groups";
import { visibleLine } from "@/lib/visible";
import { CallsValue, ListRow, TokenValue, Value } from "@/ui/list";
import { Recorded } from "@/ui/recorded";
import { rowClicks } from "@/ui/row-clicks";
import { SummedCost } from "@/ui/summed-cost";
import type { RowPlace } from "@/ui/virtual-grid";
import css from "./runs-list.module.css";

interface Props extends RowPlace {
  group: SessionGroup<Trace>;
  folded: boolean;
  /** Whether more runs are to come, which may be runs of this session. */
  partial: boolean;
  onFold: (sessionId: string | null) => void;
}

const PARTIAL = "Counts the runs that are loaded; scroll on for more, or open the session for all of it.";

/** The heading of a session above its runs, with the sums of those that are loaded. */
export const SessionRow = memo(function SessionRow({ group, folded, partial, onFold, ...place }: Props) {
  const { sessionId } = group;
  const name = sessionId === null ? "No session" : visibleLine(sessionId);
  const Fold = folded ? ChevronRight : ChevronDown;
  return (
    <ListRow
      {...place}
      className={css.session}
      title={partial ? PARTIAL : undefined}
      {...rowClicks(() => onFold(sessionId))}
    >
      <Value className={css.sessionCell}>
        <button
          type="button"
          tabIndex={-1}
          className={css.fold}
          aria-expanded={!folded}
          aria-label={`Runs of ${name}`}
          onClick={() => onFold(sessionId)}
        >
          <Fold size={14} aria-hidden />
        </button>
        {sessionId === null ? (
          <span className={css.sessionName}>{name}</span>
        ) : (
          <Link to="/" search={{ session_id: sessionId }} tabIndex={-1} className={css.sessionName}>
            <Recorded text={sessionId} />
          </Link>
        )}
      </Value>
      <Value look="text">
        {plural(group.runs.length, "run")}
        {partial && <span className={css.loaded}> loaded</span>}
        {group.failed > 0 && <span className={css.failed}>{`${count(group.failed)} failed`}</span>}
      </Value>
      <Value>{""}</Value>
      <CallsValue of={group} />
      <Value look="number" bad={group.errors > 0}>
        {count(group.errors)}
      </Value>
      <Value>{""}</Value>
      <TokenValue
        sums={{
          input_tokens: group.inputTokens,
          output_tokens: group.outputTokens,
          cached_tokens: group.cachedTokens,
        }}
      />
      <Value look="number">
        <SummedCost of={{ cost_usd: group.costUsd, unpriced_calls: group.unpricedCalls }} />
      </Value>
    </ListRow>
  );
});
