import { visibleLine } from "@/lib/visible";

/** Recorded text on one line, with everything invisible shown; long names are cut by the layout and whole in the title. */
export function Recorded({ text, className }: { text: string; className?: string | undefined }) {
  const shown = visibleLine(text);
  return (
    <bdi className={className} title={shown}>
      {shown}
    </bdi>
  );
}
