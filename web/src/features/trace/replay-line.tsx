import { useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { replayQuery } from "@/api/replay";
import { OriginalLink, ReplayLink } from "./linked-run";
import css from "./replay-line.module.css";

/** Replays that the line has room for; the menu has the others. */
const NAMED = 2;

/** The run that this one replays, and its replays; nothing if there are none. */
export function ReplayLine({ runId }: { runId: string }) {
  const { data } = useQuery(replayQuery(runId, false));
  if (!data || (data.original === null && data.replays.length === 0)) return null;
  const { original, replays, more_replays } = data;
  const more = replays.length - NAMED;
  return (
    <p className={css.line}>
      <History size={13} aria-hidden className={css.mark} />
      <span className={css.parts}>
        {original !== null && (
          <span className={css.part}>
            Replay of <OriginalLink run={original} of={runId} />
          </span>
        )}
        {replays.length > 0 && (
          <span className={css.part}>
            Replayed as
            {replays.slice(0, NAMED).map((each) => (
              <ReplayLink key={each.run_id} run={each} of={runId} />
            ))}
            {more > 0 && `and ${more}${more_replays ? "+" : ""} more`}
          </span>
        )}
      </span>
    </p>
  );
}
