import { PlugZap, RadioTower, Unplug } from "lucide-react";
import type { ReactNode } from "react";
import { type Connection, useConnection } from "@/api/connection";
import css from "./banner.module.css";

const NOTES: Record<Exclude<Connection, "fine">, { Icon: typeof Unplug; text: ReactNode }> = {
  lost: {
    Icon: Unplug,
    text: "The inspector does not answer. Runs are still recorded, and appear once it is back.",
  },
  "signed-out": {
    Icon: PlugZap,
    text: (
      <>
        This browser is not signed in. Run <code>inspector open</code> in a terminal to open this page signed in.
      </>
    ),
  },
  crowded: {
    Icon: RadioTower,
    text: "Too many live tabs. This one is not updating; close another.",
  },
};

/** Says that the server does not answer, asks for a sign-in, or has no more live streams. */
export function Banner() {
  const state = useConnection();
  if (state === "fine") return null;
  const { Icon, text } = NOTES[state];
  return (
    <div className={css.banner} role="alert">
      <Icon size={16} aria-hidden />
      <p>{text}</p>
    </div>
  );
}
