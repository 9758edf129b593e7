import { Link } from "@tanstack/react-router";
import { ListTree, X } from "lucide-react";
import { Button } from "@/ui/button";
import css from "./events-page.module.css";

/** Above a detail that is shown outside its run: a link to the run, and a button that closes it. */
export function DetailHead({ traceId, spanId, onClose }: { traceId: string; spanId: string; onClose: () => void }) {
  return (
    <div className={css.head}>
      <Link to="/traces/$traceId" params={{ traceId }} search={{ span: spanId }} className={css.run}>
        <ListTree size={14} aria-hidden />
        Show in its run
      </Link>
      <Button look="plain" onClick={onClose} aria-label="Close the detail" title="Close (Escape)">
        <X size={16} aria-hidden />
      </Button>
    </div>
  );
}
