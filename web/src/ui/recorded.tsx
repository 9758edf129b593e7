import { visibleLine } from "@/lib/visible";

/** Recorded text on one line, with invisible characters shown; the layout cuts long text, the title has it in full. */
export function Recorded({ text, className }: { text: string; className?: string | undefined }) {
  const shown = visibleLine(text);
  return (
    <bdi className={className} title={shown}>
      {shown}
    </bdi>
  );
}
