import { partsOfName } from "@/lib/operation";
import { visibleLine } from "@/lib/visible";
import css from "./span-name.module.css";

/** A span's name on one line; where its list is too narrow, the word for the operation gives way to what it is done to. */
export function SpanName({ name, className }: { name: string; className?: string | undefined }) {
  const [operation, target] = partsOfName(name);
  return (
    <bdi className={className} title={visibleLine(name)}>
      {operation && <span className={css.operation}>{operation}</span>}
      {visibleLine(target)}
    </bdi>
  );
}
