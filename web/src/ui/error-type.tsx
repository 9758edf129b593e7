import { ownName } from "@/lib/error-name";
import { visibleLine } from "@/lib/visible";

/** The name of an exception class, or an error code; the title has it in full, with its module. */
export function ErrorType({ type, className }: { type: string; className?: string | undefined }) {
  return (
    <bdi className={className} title={visibleLine(type)}>
      {visibleLine(ownName(type))}
    </bdi>
  );
}
