import { useQueryClient } from "@tanstack/react-query";
import { Trash2, Undo2 } from "lucide-react";
import { useEffect, useEffectEvent } from "react";
import { deleteRun } from "@/api/queries";
import { plural } from "@/lib/format";
import { Button } from "@/ui/button";
import { useNow } from "@/ui/use-now";
import { settle, spare, useDeletion } from "./deletion";
import css from "./deletion-bar.module.css";

/** Announces a deletion and can undo it. It also deletes the runs, even if the page is closed earlier. */
export function DeletionBar() {
  const { runIds, until, problem } = useDeletion();
  const queries = useQueryClient();

  const send = useEffectEvent(async () => {
    settle();
    try {
      for (const runId of runIds) await deleteRun(runId);
      for (const noun of ["sessions", "stats", "events"]) void queries.invalidateQueries({ queryKey: [noun] });
      await queries.invalidateQueries({ queryKey: ["runs"] });
      spare();
    } catch (error) {
      spare(error instanceof Error ? error.message : String(error));
    }
  });
  const leave = useEffectEvent(() => {
    // A closing page waits for nothing; `keepalive` makes the browser send the request all the same.
    for (const runId of runIds) void deleteRun(runId, true).catch(() => {});
    settle();
  });

  useEffect(() => {
    if (until === null) return;
    const timer = window.setTimeout(() => void send(), until - Date.now());
    const onHide = () => leave();
    window.addEventListener("pagehide", onHide);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener("pagehide", onHide);
    };
  }, [until]);

  if (problem !== null) {
    return (
      <div className={css.bar} role="alert">
        Not deleted: {problem}
        <Button onClick={() => spare()}>Close</Button>
      </div>
    );
  }
  if (until === null) return null;
  return (
    <div className={css.bar} role="status">
      <Trash2 size={14} aria-hidden />
      <span>
        {plural(runIds.size, "run")} deleted for good in <Left until={until} />, or when this page is closed
      </span>
      <Button onClick={() => spare()}>
        <Undo2 size={14} aria-hidden />
        Undo
      </Button>
      <Button look="plain" onClick={() => void send()}>
        Delete now
      </Button>
    </div>
  );
}

const TICK_MS = 1000;

/** A countdown; screen readers do not read it every second. */
function Left({ until }: { until: number }) {
  const now = useNow(TICK_MS);
  return <span aria-live="off">{Math.max(0, Math.ceil((until - now) / TICK_MS))} s</span>;
}
