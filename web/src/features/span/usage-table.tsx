import { type ReactNode, useMemo } from "react";
import { count, dollars, duration, percent } from "@/lib/format";
import { attributeNumber, attributeText, type FullSpan } from "@/lib/full-span";
import { Recorded } from "@/ui/recorded";
import { Fact, Facts, Nothing } from "./section";
import { KEY } from "./semconv";
import { usageOf } from "./usage";
import css from "./usage-table.module.css";

const RECORDED_COST = ["gen_ai.usage.cost", "operation.cost", "llm.cost.total"];

/** The tokens of a model call with their parts, and the cost. */
export function UsageTable({ span }: { span: FullSpan }) {
  const usage = useMemo(() => usageOf(span), [span]);
  if (usage.total === null && usage.costUsd === null) {
    return <Nothing>{span.status === "running" ? "Known when it ends." : "No token counts were recorded."}</Nothing>;
  }
  return (
    <div className={css.usage}>
      <table className={css.table}>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">Which</th>
            <th scope="col">Tokens</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          <Row label="Input" tokens={usage.input} />
          <Row label="read from cache" tokens={usage.cacheRead} of={usage.input} part />
          <Row label="written to cache" tokens={usage.cacheWrite} of={usage.input} part />
          <Row label="Output" tokens={usage.output} />
          <Row label="reasoning" tokens={usage.reasoning} of={usage.output} part />
          <Row label="Total" tokens={usage.total} total={span.folded_into === null} />
        </tbody>
      </table>
      <Facts>
        <Fact label="Cost">
          {usage.costUsd === null ? (
            <Unpriced span={span} />
          ) : (
            <>
              <Strong quiet={span.folded_into !== null}>{dollars(usage.costUsd)}</Strong>{" "}
              <span className={css.note}>{whencePrice(span)}</span>
            </>
          )}
        </Fact>
        <Fact label="Per 1k tokens">{usage.costPerThousand !== null && exactDollars(usage.costPerThousand)}</Fact>
        <Fact label="First piece">{usage.firstMs !== null && `after ${duration(usage.firstMs)}`}</Fact>
        <Fact label="Speed">
          {usage.tokensPerSecond !== null &&
            `${count(Math.round(usage.tokensPerSecond))} tokens/s${usage.fromFirst ? " from then on" : ""}`}
        </Fact>
      </Facts>
    </div>
  );
}

/** Why the cost is unknown: the price list has no such provider, or no such model. */
function Unpriced({ span }: { span: FullSpan }) {
  const why = attributeText(span, KEY.unpriced);
  return (
    <>
      not known: <Recorded text={why ?? "there is no price for this model"} />
    </>
  );
}

/** A figure; muted for a duplicate, because another span counts it. */
function Strong({ quiet, children }: { quiet: boolean; children: ReactNode }) {
  return quiet ? <span className={css.note}>{children}</span> : <strong>{children}</strong>;
}

function whencePrice(span: FullSpan): string {
  return attributeNumber(span, ...RECORDED_COST) !== null ? "reported by the sender" : "from the price list";
}

interface RowProps {
  label: string;
  tokens: number | null;
  of?: number | null;
  part?: boolean;
  total?: boolean;
}

function Row({ label, tokens, of = null, part = false, total = false }: RowProps) {
  if (part && (tokens === null || tokens === 0)) return null;
  return (
    <tr className={part ? css.part : total ? css.total : undefined}>
      <th scope="row">{part ? `of which ${label}` : label}</th>
      <td>{count(tokens)}</td>
      <td className={css.share}>{of && tokens !== null ? percent(tokens / of) : ""}</td>
    </tr>
  );
}

function exactDollars(value: number): string {
  return value < 0.01 ? `$${value.toPrecision(2)}` : dollars(value);
}
