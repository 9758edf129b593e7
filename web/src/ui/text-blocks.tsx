import clsx from "clsx";
import { useMemo } from "react";
import { type TextBlock, textBlocks } from "@/lib/text-blocks";
import { visible } from "@/lib/visible";
import { CopyButton } from "./button";
import css from "./text-blocks.module.css";

/** More blocks, marked lines or cells of a text would overload the page. */
const MOST_BLOCKS = 500;
const MOST_LINES = 10_000;
const MOST_CELLS = 10_000;

/** A text as written, with code, tables and patches in it in a fixed-width font. */
export function TextBlocks({ text, className }: { text: string; className?: string | undefined }) {
  const blocks = useMemo(() => {
    const found = textBlocks(text);
    return found.length > MOST_BLOCKS ? [{ look: "prose", text, code: null } as const] : found;
  }, [text]);
  return blocks.map((each, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other identity, and never change places
    <Block key={at} block={each} className={className} />
  ));
}

function Block({ block, className }: { block: TextBlock; className: string | undefined }) {
  const { look, text, code } = block;
  if (look === "prose") {
    return (
      <div className={className} dir="auto">
        {visible(text)}
      </div>
    );
  }
  if (look === "table") return <Table text={text} />;
  return (
    <div className={css.code} dir="ltr">
      {code !== null && (
        <div className={css.copy}>
          <CopyButton text={code} label="Copy the code" />
        </div>
      )}
      {code === null ? <Lines text={text} isPatch={look === "patch"} /> : <Fenced text={text} look={look} />}
    </div>
  );
}

/** Code between its fences, which are faint. */
function Fenced({ text, look }: Pick<TextBlock, "text" | "look">) {
  const begin = text.indexOf("\n") + 1;
  const end = text.lastIndexOf("\n");
  return (
    <>
      <div className={css.fence}>{visible(text.slice(0, begin - 1))}</div>
      {end >= begin && <Lines text={text.slice(begin, end)} isPatch={look === "patch"} />}
      <div className={css.fence}>{visible(text.slice(end + 1))}</div>
    </>
  );
}

/** Lines of code; those of a patch show what was added and removed. */
export function Lines({ text, isPatch }: { text: string; isPatch: boolean }) {
  const lines = isPatch ? text.split("\n") : [];
  if (!isPatch || lines.length > MOST_LINES) return <div>{visible(text)}</div>;
  return lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity, and never change places
    <div key={at} className={clsx(css.line, signOf(line))}>
      {visible(line)}
    </div>
  ));
}

function signOf(line: string): string | undefined {
  if (line.startsWith("@@")) return css.place;
  if (line.startsWith("+")) return line.startsWith("+++ ") ? css.place : css.added;
  if (line.startsWith("-")) return line.startsWith("--- ") ? css.place : css.removed;
  return undefined;
}

/** Wider cells are not aligned. */
const MOST_WIDE = 60;

/** A table as written, with its columns below each other. */
function Table({ text }: { text: string }) {
  const rows = text.split("\n").map((line) => line.split(/(?<=\|)/));
  if (rows.reduce((cells, row) => cells + row.length, 0) > MOST_CELLS)
    return (
      <div className={css.table} dir="ltr">
        {visible(text)}
      </div>
    );
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, [...cell].length);
    });
  }
  const styles = widths.map((width) => ({ minWidth: `${Math.min(MOST_WIDE, width)}ch` }));
  return (
    <div className={css.table} dir="ltr">
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and never change places
        <div key={at} className={css.line}>
          {row.map((cell, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nor have cells
            <span key={column} className={css.cell} style={styles[column]}>
              {visible(cell)}
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}
