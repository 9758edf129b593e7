import clsx from "clsx";
import { useState } from "react";
import { compact, count } from "@/lib/format";
import { visibleLine } from "@/lib/visible";
import { Button } from "@/ui/button";
import { SpanLink } from "@/ui/span-link";
import { type ContextTurn, jumpWords, PART_LABELS, PARTS, type Part } from "./context";
import css from "./context-chart.module.css";

const COLORS: Record<Part, string> = {
  system: "--kind-workflow",
  tools: "--kind-rpc",
  user: "--kind-agent",
  assistant: "--kind-llm",
  tool: "--kind-tool",
  file: "--kind-resource",
};

interface Props {
  turns: readonly ContextTurn[];
  /** The call whose detail is shown. */
  selected: string | null;
}

/** The growth of a conversation's context: the tokens of each prompt, by part. */
export function ContextChart({ turns, selected }: Props) {
  const [asTable, setAsTable] = useState(false);
  const top = Math.max(1, ...turns.map(({ tokens }) => tokens));
  const shown = PARTS.filter((part) => turns.some(({ parts }) => parts[part] > 0));
  const jumps = turns.filter(({ jump }) => jump !== null);
  const estimated = turns.some(({ counted }) => !counted);
  const cached = turns.some((turn) => turn.cached !== null && turn.cached > 0);
  return (
    <figure className={css.chart}>
      <figcaption className={css.legend}>
        {shown.map((part) => (
          <span key={part} className={css.entry}>
            <span className={css.swatch} style={{ background: `var(${COLORS[part]})` }} aria-hidden />
            {PART_LABELS[part]}
          </span>
        ))}
        {cached && (
          <span className={css.entry}>
            <span className={clsx(css.swatch, css.cached)} aria-hidden />
            read from cache
          </span>
        )}
        <Button look="plain" className={css.switch} pressed={asTable} onClick={() => setAsTable(!asTable)}>
          As a table
        </Button>
      </figcaption>
      {asTable ? (
        <Table turns={turns} parts={shown} />
      ) : (
        <div className={css.plot}>
          <span className={css.top} aria-hidden>
            {compact(top)} tokens
          </span>
          <ol className={css.bars} aria-label="Tokens of each prompt">
            {turns.map((turn, at) => (
              <Bar key={turn.row.id} turn={turn} place={at + 1} top={top} selected={turn.row.id === selected} />
            ))}
          </ol>
        </div>
      )}
      {jumps.length > 0 && (
        <ul className={css.jumps}>
          {jumps.slice(0, 5).map((turn) => (
            <li key={turn.row.id}>
              <SpanLink traceId={turn.row.traceId} spanId={turn.row.id} className={css.jump}>
                Turn {count(turns.indexOf(turn) + 1)}: +{count(Math.round(turn.grown ?? 0))} tokens
              </SpanLink>
              , {turn.jump && visibleLine(jumpWords(turn.jump))}
            </li>
          ))}
        </ul>
      )}
      <p className={css.note}>
        {estimated ? "Hatched heights are estimated from characters; the others" : "Heights"} are the provider's
        figures, split by characters{shown.includes("file") && ", with 4,000 for an image"}.
      </p>
    </figure>
  );
}

interface BarProps {
  turn: ContextTurn;
  place: number;
  top: number;
  selected: boolean;
}

function Bar({ turn, place, top, selected }: BarProps) {
  const words = wordsOf(turn, place);
  return (
    <li className={css.bar}>
      <SpanLink
        traceId={turn.row.traceId}
        spanId={turn.row.id}
        className={clsx(css.link, selected && css.selected, !turn.counted && css.estimated)}
        label={words}
        title={words}
      >
        {turn.jump && <span className={css.mark}>▲</span>}
        {PARTS.toReversed().map((part) =>
          turn.parts[part] > 0 ? (
            <span
              key={part}
              className={css.part}
              style={{ height: `max(1px, ${(turn.parts[part] / top) * 100}%)`, background: `var(${COLORS[part]})` }}
            />
          ) : null,
        )}
        {turn.cached !== null && turn.cached > 0 && (
          <span className={css.fromCache} style={{ height: `${(Math.min(turn.cached, turn.tokens) / top) * 100}%` }} />
        )}
      </SpanLink>
    </li>
  );
}

function wordsOf({ tokens, counted, parts, cached, grown, jump }: ContextTurn, place: number): string {
  const made = PARTS.flatMap((part) =>
    parts[part] > 0 ? [`${count(Math.round(parts[part]))} ${PART_LABELS[part]}`] : [],
  );
  return [
    `Turn ${place}: ${counted ? "" : "about "}${count(tokens)} tokens`,
    made.join(", "),
    cached ? `${count(cached)} read from cache` : "",
    grown === null ? "" : `${grown < 0 ? "" : "+"}${count(Math.round(grown))} since the turn before`,
    jump ? visibleLine(jumpWords(jump)) : "",
  ]
    .filter(Boolean)
    .join("; ");
}

function Table({ turns, parts }: { turns: readonly ContextTurn[]; parts: readonly Part[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={css.scroll} aria-label="Tokens of each prompt" tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">Tokens</th>
            {parts.map((part) => (
              <th key={part} scope="col">
                {PART_LABELS[part]}
              </th>
            ))}
            <th scope="col">from cache</th>
          </tr>
        </thead>
        <tbody>
          {turns.map((turn, at) => (
            <tr key={turn.row.id}>
              <th scope="row">
                <SpanLink traceId={turn.row.traceId} spanId={turn.row.id}>
                  {count(at + 1)}
                </SpanLink>
              </th>
              <td>
                {turn.counted ? "" : "≈ "}
                {count(turn.tokens)}
              </td>
              {parts.map((part) => (
                <td key={part}>{count(Math.round(turn.parts[part]))}</td>
              ))}
              <td>{turn.cached === null ? "–" : count(turn.cached)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
