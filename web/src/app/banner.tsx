import { PlugZap, RadioTower, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { useEffect } from "react";
import { type Connection, setConnection, useConnection } from "@/api/connection";
import { probe } from "@/api/stream";
import css from "./banner.module.css";
import { queries } from "./query-client";

const NOTES: Record<Exclude<Connection, "fine">, { Icon: typeof Unplug; text: ReactNode }> = {
  lost: {
    Icon: Unplug,
    text: "The inspector does not answer. What happens meanwhile is recorded and will show as soon as it is back.",
  },
  "signed-out": {
    Icon: PlugZap,
    text: (
      <>
        This browser is not signed in. Run <code>inspector open</code> in a terminal: it opens this page signed in, as
        often as needed.
      </>
    ),
  },
  crowded: {
    Icon: RadioTower,
    text: "Too many live tabs. This one is not updating; close another.",
  },
};

/** How long it waits between two looks, and for an answer. */
const PAUSE_MS = 1500;
const PATIENCE_MS = 5000;

/** Says when the server does not answer or asks for a sign-in, and looks for it until it does. */
export function Banner() {
  const state = useConnection();
  const away = state === "lost" || state === "signed-out";
  useEffect(() => {
    if (!away) return;
    const stop = new AbortController();
    let timer = window.setTimeout(look, PAUSE_MS);
    // One after the other: a server that hangs would have each of the browser's connections.
    async function look() {
      const found = await probe(AbortSignal.any([stop.signal, AbortSignal.timeout(PATIENCE_MS)]));
      if (stop.signal.aborted) return;
      const next = found === "troubled" ? "fine" : found;
      setConnection(next);
      if (next === "fine") void queries.invalidateQueries();
      timer = window.setTimeout(look, PAUSE_MS);
    }
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [away]);
  if (state === "fine") return null;
  const { Icon, text } = NOTES[state];
  return (
    <div className={css.banner} role="alert">
      <Icon size={16} aria-hidden />
      <p>{text}</p>
    </div>
  );
}
