import { type Called, partsOfName, targetOf } from "@/lib/operation";
import { visibleLine } from "@/lib/visible";
import css from "./span-name.module.css";

interface Props {
  name: string;
  /** The call whose name it is, where more is known of it. */
  of?: Called | undefined;
  className?: string | undefined;
}

/** A span's name on one line; where its list is too narrow, the word for the operation gives way to what it is done to. */
export function SpanName({ name, of, className }: Props) {
  const [operation, target] = partsOfName(name, of && targetOf(of));
  return (
    <bdi className={className} title={visibleLine(name)}>
      {operation && <span className={css.operation}>{operation}</span>}
      {visibleLine(target)}
    </bdi>
  );
}
