import type { Grouping } from "@/lib/figures";
import { KINDS, STATUSES } from "@/lib/filter";
import { ErrorType } from "@/ui/error-type";
import { KindIcon, kindLabel } from "@/ui/kind";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import css from "./stats-page.module.css";

/** One value of the field that figures are split by, as it shows elsewhere. */
export function GroupName({ by, value }: { by: Grouping; value: string }) {
  if (by === "error_type") return <ErrorType type={value} />;
  const status = by === "status" && STATUSES.find((each) => each === value);
  if (status) return <StatusMark status={status} label />;
  const kind = by === "kind" && KINDS.find((each) => each === value);
  if (!kind) return <Recorded text={value} />;
  return (
    <span className={css.kind}>
      <KindIcon kind={kind} />
      <span aria-hidden>{kindLabel(kind)}</span>
    </span>
  );
}
