import { visibleLine } from "@/lib/visible";

/** A text with some parts marked; `marks` count Unicode characters. */
export function Marked({ text, marks }: { text: string; marks: readonly (readonly number[])[] }) {
  const letters = [...text];
  const parts: { at: number; text: string; isHit: boolean }[] = [];
  let at = 0;
  for (const [begin = 0, end = 0] of marks) {
    if (begin > at) parts.push({ at, text: letters.slice(at, begin).join(""), isHit: false });
    parts.push({ at: begin, text: letters.slice(begin, end).join(""), isHit: true });
    at = end;
  }
  if (at < letters.length) parts.push({ at, text: letters.slice(at).join(""), isHit: false });
  return (
    <bdi>
      {parts.map((part) => (part.isHit ? <mark key={part.at}>{visibleLine(part.text)}</mark> : visibleLine(part.text)))}
    </bdi>
  );
}
