import { useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import type { Replay } from "@/api/client";
import { replayQuery } from "@/api/replay";
import { count, plural } from "@/lib/format";
import { CodeBlock } from "@/ui/code-block";
import { Popover } from "@/ui/popover";
import { Recorded } from "@/ui/recorded";
import { SpanLink } from "@/ui/span-link";
import { OriginalLink, ReplayLink } from "./linked-run";
import css from "./replay-menu.module.css";
import header from "./trace-header.module.css";

/** Offers the command that replays the run, or the reasons why it cannot; with its related runs. */
export function ReplayMenu({ runId }: { runId: string }) {
  return (
    <Popover label="Replay" className={header.elsewhere} panel={(close) => <Panel runId={runId} onLeave={close} />}>
      <History size={14} aria-hidden />
      <span className={header.action}>Replay</span>
    </Popover>
  );
}

function Panel({ runId, onLeave }: { runId: string; onLeave: () => void }) {
  const { data, error } = useQuery(replayQuery(runId, true));
  return (
    <div className={css.menu}>
      {data ? (
        <Found replay={data} onLeave={onLeave} />
      ) : (
        <p className={css.verdict}>{error ? error.message : "Checking the calls of this run…"}</p>
      )}
    </div>
  );
}

function Found({ replay: data, onLeave }: { replay: Replay; onLeave: () => void }) {
  const { run_id: runId, original, replays, more_replays } = data;
  return (
    <>
      <Verdict replay={data} />
      <Command replay={data} />
      <Obstacles replay={data} onLeave={onLeave} />
      {original !== null && (
        <section aria-label="Replay of">
          <h2 className={css.title}>Replay of</h2>
          <OriginalLink run={original} of={runId} />
        </section>
      )}
      {replays.length > 0 && (
        <section aria-label="Replays">
          <h2 className={css.title}>{more_replays ? `The latest ${replays.length} replays` : "Replays"}</h2>
          <ul className={css.list}>
            {replays.map((each) => (
              <li key={each.run_id}>
                <ReplayLink run={each} of={runId} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Verdict({ replay: { replayable, calls, reason } }: { replay: Replay }) {
  if (replayable === "yes") {
    return (
      <p className={css.verdict}>
        Can be replayed: the program runs again and gets the {plural(calls ?? 0, "recorded answer")}. No key, no
        network.
      </p>
    );
  }
  const known = replayable === "no" ? "Cannot be replayed" : "Not known whether it can be replayed";
  return (
    <p className={css.verdict}>
      {known}
      {reason !== null && (
        <>
          : <Recorded text={reason} />
        </>
      )}
    </p>
  );
}

function Command({ replay: { command, names_program } }: { replay: Replay }) {
  if (command === null) return null;
  return (
    <>
      <CodeBlock text={command} label="the command" />
      {names_program && (
        <p className={css.hint}>How the program was started was not recorded: replace PROGRAM with its command.</p>
      )}
    </>
  );
}

function Obstacles({ replay: { obstacles, obstacle_count }, onLeave }: { replay: Replay; onLeave: () => void }) {
  if (obstacles.length === 0) return null;
  // A loop makes the same call many times, and one of them says it.
  const told = new Set<string>();
  const distinct = obstacles.filter(({ name, reason }) => {
    const words = `${name}: ${reason}`;
    return !told.has(words) && told.add(words);
  });
  const more = obstacle_count - distinct.length;
  return (
    <section aria-label="Calls that cannot be replayed">
      <h2 className={css.title}>{plural(obstacle_count, "call")} cannot be replayed</h2>
      <ul className={css.list}>
        {distinct.map(({ trace_id, span_id, name, reason }) => (
          <li key={`${trace_id}/${span_id}`} className={css.obstacle}>
            <SpanLink traceId={trace_id} spanId={span_id} onClick={onLeave}>
              <Recorded text={name} />
            </SpanLink>
            : <Recorded text={reason} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className={css.hint}>and {count(more)} more</p>}
    </section>
  );
}
