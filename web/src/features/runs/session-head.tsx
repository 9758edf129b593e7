import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { Layers, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Session } from "@/api/client";
import { deleteSession, firstQuestionQuery, sessionQuery } from "@/api/queries";
import { clock, compact, day, duration, plural } from "@/lib/format";
import { sessionName } from "@/lib/run-name";
import { msBetween, unixMs } from "@/lib/time";
import { visibleLine } from "@/lib/visible";
import { Button, CopyButton } from "@/ui/button";
import { Confirm } from "@/ui/confirm";
import { duplicatesTitle } from "@/ui/list";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import { SummedCost } from "@/ui/summed-cost";
import css from "./session-head.module.css";

/** The session whose runs are shown: its totals, independent of the rest of the filter, and a button to delete it. */
export function SessionHead({ sessionId, onLeave }: { sessionId: string; onLeave: () => Promise<void> }) {
  const [asks, setAsks] = useState(false);
  const queries = useQueryClient();
  const { data, error } = useQuery(sessionQuery(sessionId));
  const { data: question } = useQuery(firstQuestionQuery(sessionId));
  const session = data?.session;
  const name = sessionName(sessionId, question);

  async function remove() {
    await deleteSession(sessionId);
    // Leave first, or the deleted run would be loaded again.
    await onLeave();
    queries.removeQueries({ queryKey: ["session", sessionId] });
    void queries.invalidateQueries();
  }

  return (
    <section className={css.head} aria-label="Session">
      <Layers size={14} aria-hidden />
      <Link to="/sessions" className={css.all}>
        Sessions
      </Link>
      <span aria-hidden className={css.slash}>
        /
      </span>
      <h2 className={clsx("cut", css.name)}>
        <Recorded text={name} />
      </h2>
      <CopyButton text={sessionId} label="Copy the session id" />
      {session && <StatusMark status={session.status} label />}
      <ul className={css.sums}>{session && <Sums session={session} />}</ul>
      {error && !session && <p className={css.missing}>{error.message}</p>}
      <Button className={css.delete} onClick={() => setAsks(true)} disabled={!session}>
        <Trash2 size={14} aria-hidden />
        Delete session
      </Button>
      {session && (
        <Confirm
          open={asks}
          onClose={() => setAsks(false)}
          title="Delete this session?"
          action="Delete session"
          run={remove}
        >
          <strong>
            <bdi>{visibleLine(sessionId)}</bdi>
          </strong>{" "}
          and its {plural(session.traces, "trace")} with {plural(session.spans, "span")} are permanently removed.
        </Confirm>
      )}
    </section>
  );
}

function Sums({ session }: { session: Session }) {
  const from = unixMs(session.start_time_unix_nano);
  const to = session.end_time_unix_nano === null ? null : unixMs(session.end_time_unix_nano);
  const length = to === null ? null : msBetween(session.start_time_unix_nano, session.end_time_unix_nano ?? "0");
  const sameDay = to !== null && day(from) === day(to);
  return (
    <>
      <li>
        {`${day(from)} ${clock(from)} – ${to === null ? "now" : sameDay ? clock(to) : `${day(to)} ${clock(to)}`}`}
        {length !== null && ` (${duration(length)})`}
      </li>
      <li>{plural(session.traces, "trace")}</li>
      <li title={duplicatesTitle(session)}>{plural(session.calls, "call")}</li>
      {session.errors > 0 && <li className={css.errors}>{plural(session.errors, "error")}</li>}
      <li>{plural(session.llm_calls, "model call")}</li>
      <li>{plural(session.tool_calls, "tool call")}</li>
      {session.input_tokens + session.output_tokens > 0 && (
        <li>{`${compact(session.input_tokens)} → ${compact(session.output_tokens)} tokens`}</li>
      )}
      {(session.cost_usd !== null || session.unpriced_calls > 0) && (
        <li>
          <SummedCost of={session} />
        </li>
      )}
    </>
  );
}
