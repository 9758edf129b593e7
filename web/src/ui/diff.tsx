import clsx from "clsx";
import { useMemo, useState } from "react";
import { count } from "@/lib/format";
import { diffWords, type Piece } from "@/lib/message-diff";
import { visible } from "@/lib/visible";
import css from "./diff.module.css";

// Characters of context around a change.
const CONTEXT = 160;

/** The changes in a text: removed parts struck out, added ones underlined, long unchanged stretches folded. */
export function TextDiff({ before, after }: { before: string; after: string }) {
  const found = useMemo(() => diffWords(before, after), [before, after]);
  const isReplaced = found.length === 2 && found[0]?.kind === "removed" && found[1]?.kind === "added";
  return (
    <div className={clsx(css.diff, isReplaced && css.replaced)} dir="auto">
      {found.map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text have no other identity
        <PieceView key={at} piece={piece} first={at === 0} last={at === found.length - 1} />
      ))}
    </div>
  );
}

function PieceView({ piece, first, last }: { piece: Piece; first: boolean; last: boolean }) {
  const [whole, setWhole] = useState(false);
  const { kind, text } = piece;
  if (kind === "added") return <ins className={css.added}>{visible(text)}</ins>;
  if (kind === "removed") return <del className={css.removed}>{visible(text)}</del>;
  const head = first ? 0 : CONTEXT;
  const tail = last ? 0 : CONTEXT;
  const folded = text.length - head - tail;
  if (whole || folded < CONTEXT) return <span>{visible(text)}</span>;
  return (
    <span>
      {visible(text.slice(0, head))}
      <button type="button" className={css.fold} onClick={() => setWhole(true)}>
        … {count(folded)} characters unchanged …
      </button>
      {visible(text.slice(text.length - tail))}
    </span>
  );
}
