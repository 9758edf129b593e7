import clsx from "clsx";
import { MessagesSquare } from "lucide-react";
import { count } from "@/lib/format";
import { Button } from "@/ui/button";
import { useTraceAddress } from "./address";
import css from "./trace-toolbar.module.css";

/** Shows and hides inferred agents and tools. */
export function InferredChip({ rows, hidden }: { rows: number; hidden: boolean }) {
  const { change } = useTraceAddress();
  if (rows === 0 && !hidden) return null;
  function onClick() {
    void change((before) => ({ ...before, inferred: hidden ? undefined : "0" }), true);
  }
  return (
    <Button
      look="plain"
      pressed={!hidden}
      className={clsx(css.chip, css.duplicates)}
      onClick={onClick}
      title={`${hidden ? "Show" : "Hide"} the conversations and tools that are inferred from messages`}
    >
      <MessagesSquare size={13} aria-hidden />
      {hidden ? "inferred" : `${count(rows)} inferred`}
    </Button>
  );
}
