import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { memo } from "react";
import type { Session } from "@/api/client";
import { firstQuestionQuery } from "@/api/queries";
import { clock, count, day, duration, moment } from "@/lib/format";
import { sessionName } from "@/lib/run-name";
import { msBetween, type UnixNano, unixMs } from "@/lib/time";
import { CallsValue, ListRow, TokenValue, Value } from "@/ui/list";
import { Recorded } from "@/ui/recorded";
import { rowClicks } from "@/ui/row-clicks";
import { StatusMark } from "@/ui/status";
import { SummedCost } from "@/ui/summed-cost";
import type { RowPlace } from "@/ui/virtual-grid";
import { When } from "@/ui/when";
import css from "./sessions-page.module.css";

interface Props extends RowPlace {
  session: Session;
  onOpen: (sessionId: string, elsewhere: boolean) => void;
}

/** One session. A click on the row opens its runs; its name is the link. */
export const SessionRow = memo(function SessionRow({ session, onOpen, ...place }: Props) {
  const { session_id, start_time_unix_nano: start, end_time_unix_nano: end } = session;
  return (
    <ListRow {...place} {...rowClicks((elsewhere) => onOpen(session_id, elsewhere))}>
      <Value>
        <StatusMark status={session.status} />
      </Value>
      <Value look="text" className={css.about}>
        <About sessionId={session_id} />
      </Value>
      <Value look="number">{count(session.traces)}</Value>
      <CallsValue of={session} />
      <Value look="number" bad={session.errors > 0}>
        {count(session.errors)}
      </Value>
      <Value look="number">{count(session.llm_calls)}</Value>
      <Value look="number">{count(session.tool_calls)}</Value>
      <TokenValue sums={session} />
      <Value look="number">
        <SummedCost of={session} />
      </Value>
      <Value look="number">{end === null ? null : duration(msBetween(start, end))}</Value>
      <Value
        look="number"
        title={end === null ? moment(unixMs(start)) : `${moment(unixMs(start))} – ${moment(unixMs(end))}`}
      >
        {`${short(start)} – ${end === null ? "" : short(end, start)}`}
      </Value>
      <Value look="number">
        <When time={end ?? start} />
      </Value>
    </ListRow>
  );
});

/** The name of a session and what it began with, which is loaded for visible rows, or its id if that is its name. */
function About({ sessionId }: { sessionId: string }) {
  const { data: question } = useQuery(firstQuestionQuery(sessionId));
  const name = sessionName(sessionId, question);
  const other = name === sessionId ? question : sessionId;
  return (
    <>
      <Link to="/" search={{ session_id: sessionId }} tabIndex={-1} className={clsx("cut", css.link)}>
        <Recorded text={name} />
      </Link>
      <span className={clsx("cut", css.other)}>{other && <Recorded text={other} />}</span>
    </>
  );
}

/** Month, day and time, or the time alone on the day of `before`; the title has it in full. */
function short(time: UnixNano, before?: UnixNano): string {
  const at = unixMs(time);
  const hours = clock(at).slice(0, 5);
  return before !== undefined && day(unixMs(before)) === day(at) ? hours : `${day(at).slice(5)} ${hours}`;
}
