import { type Called, partsOfName, targetOf } from "@/lib/operation";
import { visibleLine } from "@/lib/visible";
import css from "./span-name.module.css";

interface Props {
  name: string;
  /** The tool, model and agent of the call, if known. */
  of?: Called | undefined;
  className?: string | undefined;
}

/** A span's name on one line; if it does not fit, the operation is cut before its subject. */
export function SpanName({ name, of, className }: Props) {
  const [operation, target] = partsOfName(name, of && targetOf(of));
  return (
    <bdi className={className} title={visibleLine(name)}>
      {/* Isolated: the direction is that of the subject. */}
      {operation && <bdi className={css.operation}>{operation}</bdi>}
      {visibleLine(target)}
    </bdi>
  );
}
