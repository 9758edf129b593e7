import { PlugZap, Unplug } from "lucide-react";
import { useEffect } from "react";
import { setConnection, useConnection } from "@/api/connection";
import { probe } from "@/api/stream";
import css from "./banner.module.css";
import { queries } from "./query-client";

/** Says when the server does not answer or asks for a sign-in, and looks for it until it does. */
export function Banner() {
  const state = useConnection();
  useEffect(() => {
    if (state === "fine") return;
    const timer = window.setInterval(async () => {
      const next = await probe();
      setConnection(next);
      if (next === "fine") void queries.invalidateQueries();
    }, 1500);
    return () => window.clearInterval(timer);
  }, [state]);
  if (state === "fine") return null;
  return (
    <div className={css.banner} role="alert">
      {state === "lost" ? <Unplug size={16} aria-hidden /> : <PlugZap size={16} aria-hidden />}
      {state === "lost" ? (
        <p>The inspector does not answer. What happens meanwhile is recorded and will show as soon as it is back.</p>
      ) : (
        <p>
          This browser is not signed in. Open the address that <code>inspector serve</code> printed; each start prints a
          new one, good for ten minutes.
        </p>
      )}
    </div>
  );
}
