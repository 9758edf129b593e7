import { Equal } from "lucide-react";
import { duplicatesOf, otherSpan } from "@/lib/duplicates";
import { treeOf } from "@/lib/tree";
import { Recorded } from "@/ui/recorded";
import { SpanLink } from "@/ui/span-link";
import css from "./note.module.css";
import type { OverviewProps } from "./overview-props";

const MOST = 4;

/** The span that this one duplicates, or its duplicates; nothing for a call recorded once. */
export function Duplicates({ span, place, rows }: OverviewProps) {
  const into = place.row ? place.row.foldedInto : span.folded_into;
  const others = into === null ? (duplicatesOf(rows).get(span.span_id) ?? []) : [];
  if (into === null && others.length === 0) return null;
  const rest = others.length - MOST;
  return (
    <p className={css.note}>
      <Equal size={14} aria-hidden />
      {into !== null ? (
        <span>
          Duplicate of <OtherSpan {...{ span, rows }} spanId={into} />; counted there.
        </span>
      ) : (
        <span>
          Counted once, here. {others.length === 1 ? "Duplicate" : "Duplicates"}:{" "}
          {others.slice(0, MOST).map(({ id }, at) => (
            <span key={id}>
              {at > 0 && ", "}
              <OtherSpan {...{ span, rows }} spanId={id} />
            </span>
          ))}
          {rest > 0 && ` and ${rest} more`}.
        </span>
      )}
    </p>
  );
}

/** Both spans often have the same name: their place in the trace distinguishes them. */
function OtherSpan({ span, rows, spanId }: Pick<OverviewProps, "span" | "rows"> & { spanId: string }) {
  const tree = treeOf(rows);
  const other = otherSpan(rows, tree, tree.places.get(span.span_id) ?? -1, spanId);
  return (
    <>
      <SpanLink traceId={span.trace_id} spanId={spanId}>
        <Recorded text={other?.name || spanId} />
      </SpanLink>
      {other && ` ${other.where}`}
    </>
  );
}
