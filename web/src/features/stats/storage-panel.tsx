import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Storage } from "@/api/client";
import { storageQuery } from "@/api/queries";
import { bytes, moment, plural } from "@/lib/format";
import { type UnixNano, unixMs } from "@/lib/time";
import { Recorded } from "@/ui/recorded";
import css from "./storage-panel.module.css";

/** How much is stored, the retention rules, and what they remove next. */
export function StoragePanel() {
  const { data, error } = useQuery(storageQuery);
  if (!data) return error && <p role="alert">{error.message}</p>;
  return (
    <section aria-labelledby="storage">
      <h2 id="storage" className={css.title}>
        Storage
      </h2>
      <dl className={css.facts}>
        <Fact name="Kept">
          {plural(data.runs, "run")} of {plural(data.traces, "trace")} and {plural(data.spans, "span")}
          {data.oldest_time_unix_nano !== null && (
            <>
              , from <Minute time={data.oldest_time_unix_nano} /> on
            </>
          )}
        </Fact>
        <Fact name="Size">
          <Size storage={data} />
        </Fact>
        <Fact name="Rule">
          A trace is removed {plural(data.retention_days, "day")} after its last span arrived (
          <code>INSPECTOR_RETENTION_DAYS</code>); above {bytes(data.retention_bytes)}, the oldest go first (
          <code>INSPECTOR_RETENTION_BYTES</code>).
        </Fact>
        <Fact name="Next to go">{data.next ? <Next storage={data} next={data.next} /> : "nothing"}</Fact>
        {data.removed.map((each) => (
          <Fact key={each.rule} name="Removed last">
            {plural(each.traces, "trace")} with {plural(each.spans, "span")} on <Minute time={each.time_unix_nano} />:{" "}
            {each.rule === "age" ? "too old" : "over the size limit"}
          </Fact>
        ))}
      </dl>
      <p className={css.hint}>
        Select runs in the <Link to="/">list</Link> to delete them now; <code>inspector prune --dry-run</code> shows
        what a rule of your own would remove.
      </p>
    </section>
  );
}

/** A time to the minute, since the rules are no more precise. */
function Minute({ time }: { time: UnixNano }) {
  const at = unixMs(time);
  return <time dateTime={new Date(at).toISOString()}>{moment(at).slice(0, 16)}</time>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={css.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Size({ storage }: { storage: Storage }) {
  const { used_bytes: used, retention_bytes: most, bytes: size, free_bytes: free } = storage;
  const share = Math.min(1, used / most);
  return (
    <>
      <meter className={css.meter} min={0} max={1} value={share} aria-label="Share of the size limit" />
      {bytes(used)} of {bytes(most)}
      {size > used && ` (${bytes(size)} on disk)`}
      {free !== null && `; the disk has ${bytes(free)} left`}
    </>
  );
}

function Next({ storage, next }: { storage: Storage; next: NonNullable<Storage["next"]> }) {
  const goes = storage.next_time_unix_nano;
  return (
    <>
      <Link to="/traces/$traceId" params={{ traceId: next.trace_id }}>
        <Recorded text={next.name || "no name"} />
      </Link>{" "}
      of <Minute time={next.start_time_unix_nano} />
      {storage.used_bytes > storage.retention_bytes
        ? ", within the hour: over the size limit"
        : goes !== null &&
          (unixMs(goes) <= Date.now() ? (
            ", within the hour"
          ) : (
            <>
              , on <Minute time={goes} />
            </>
          ))}
    </>
  );
}
