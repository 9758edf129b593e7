import { Blocks, Dot, Globe, Layers, SquareTerminal, TextCursorInput } from "lucide-react";
import type { ComponentType } from "react";
import css from "./origin.module.css";

/** What groups traces into a run. */
type Origin = "program" | "block" | "request" | "cell" | "session" | "trace";

const LOOKS: Record<Origin, { Icon: ComponentType<{ size?: number }>; label: string }> = {
  program: { Icon: SquareTerminal, label: "program" },
  block: { Icon: Blocks, label: "block of a program" },
  request: { Icon: Globe, label: "request of a server" },
  cell: { Icon: TextCursorInput, label: "notebook cell" },
  session: { Icon: Layers, label: "session" },
  trace: { Icon: Dot, label: "trace" },
};

/** The origin of a run as an icon, with its name for screen readers. */
export function OriginIcon({ origin }: { origin: Origin }) {
  const { Icon, label } = LOOKS[origin];
  return (
    <span className={css.origin} title={label}>
      <Icon size={14} aria-hidden />
      <span className="visually-hidden">{label}</span>
    </span>
  );
}
