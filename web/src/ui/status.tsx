import clsx from "clsx";
import { Ban, Check, CircleAlert, LoaderCircle, ShieldX, Unlink2, Unplug } from "lucide-react";
import type { ComponentType } from "react";
import type { Status } from "@/lib/filter";
import css from "./status.module.css";

const MARKS: Record<Status, { Icon: ComponentType<{ size?: number }>; label: string; meaning: string }> = {
  running: { Icon: LoaderCircle, label: "running", meaning: "Still running." },
  ok: { Icon: Check, label: "ok", meaning: "Succeeded." },
  error: { Icon: CircleAlert, label: "error", meaning: "Failed." },
  denied: { Icon: ShieldX, label: "denied", meaning: "Refused, for example by a person or a guardrail." },
  cancelled: { Icon: Ban, label: "cancelled", meaning: "Cancelled before it finished." },
  abandoned: { Icon: Unlink2, label: "abandoned", meaning: "The call around it ended first, or it was dropped." },
  lost: { Icon: Unplug, label: "lost", meaning: "Its process ended first." },
};

/** The status of a span as a distinct shape; with `label` its name beside it, otherwise only for screen readers. */
export function StatusMark({ status, label = false, size = 14 }: { status: Status; label?: boolean; size?: number }) {
  const { Icon, label: word, meaning } = MARKS[status];
  return (
    <span className={clsx(css.mark, css[status])} title={`${word}: ${meaning}`}>
      <Icon size={size} aria-hidden />
      <span className={label ? css.word : "visually-hidden"}>{word}</span>
    </span>
  );
}
