import { ownName } from "@/lib/error-name";
import { visibleLine } from "@/lib/visible";

/** An exception class by its own name, or an error code; whole, with its module, in the title. */
export function ErrorType({ type, className }: { type: string; className?: string | undefined }) {
  return (
    <bdi className={className} title={visibleLine(type)}>
      {visibleLine(ownName(type))}
    </bdi>
  );
}
