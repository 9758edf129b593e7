import clsx from "clsx";
import { useMemo, useState } from "react";
import { compact, count, duration } from "@/lib/format";
import { attributeText } from "@/lib/full-span";
import { Button } from "@/ui/button";
import { InferredMark } from "@/ui/inferred-mark";
import { KindIcon } from "@/ui/kind";
import { SpanLink } from "@/ui/span-link";
import { SpanName } from "@/ui/span-name";
import { SummedCost } from "@/ui/summed-cost";
import { contextsOf } from "./context";
import { ContextChart } from "./context-chart";
import type { OverviewProps } from "./overview-props";
import { RecordedValue } from "./recorded-value";
import { calledBy, descendantsOf, type Group, groupsOf, sumsBelow } from "./related";
import css from "./run-overview.module.css";
import { Facts, Nothing, Section, TextFact } from "./section";
import { KEY } from "./semconv";

/** A workflow or an agent: its input, its output and its calls. */
export function RunOverview({ span, place, rows }: OverviewProps) {
  const facts = [
    ["Description", attributeText(span, KEY.agentDescription)],
    ["Class", attributeText(span, KEY.agentClass)],
    ["Type", attributeText(span, KEY.workflowType)],
  ] as const;
  return (
    <>
      {facts.some(([, text]) => text !== null) && (
        <Section title={span.kind === "agent" ? "Agent" : "Workflow"}>
          <Facts>
            {facts.map(([label, text]) => (
              <TextFact key={label} label={label} text={text} />
            ))}
          </Facts>
        </Section>
      )}
      {!place.row?.inferred && <Exchange span={span} />}
      {place.row && <Contexts id={place.row.id} rows={rows} />}
      {place.row && <Calls {...{ place, rows }} />}
    </>
  );
}

/** Input, and output or error. */
function Exchange({ span }: Pick<OverviewProps, "span">) {
  return (
    <>
      <Section title="Input">
        <RecordedValue
          value={span.input}
          label="input"
          prose
          nothing="Its input was not recorded."
          clipped={span.clipped.input !== undefined}
        />
      </Section>
      {(span.status === "ok" || span.output !== null || span.clipped.output !== undefined) && (
        <Section title="Output">
          <RecordedValue
            value={span.output}
            label="output"
            prose
            nothing="Its output was not recorded."
            clipped={span.clipped.output !== undefined}
          />
        </Section>
      )}
    </>
  );
}

const MOST_CHARTS = 3;

/** The growth of the contexts of the conversations below it. */
function Contexts({ id, rows }: { id: string; rows: OverviewProps["rows"] }) {
  const contexts = useMemo(() => contextsOf(descendantsOf(rows, id)).filter((turns) => turns.length > 1), [rows, id]);
  return contexts.slice(0, MOST_CHARTS).map((turns, at) => (
    <Section key={turns[0]?.row.id} title={contexts.length === 1 ? "Context by turn" : `Context by turn, ${at + 1}`}>
      <ContextChart turns={turns} selected={null} />
    </Section>
  ));
}

function Calls({ place, rows }: Pick<OverviewProps, "place" | "rows">) {
  const [everything, setEverything] = useState(false);
  const id = place.row?.id ?? "";
  const below = useMemo(() => descendantsOf(rows, id), [rows, id]);
  const near = useMemo(() => calledBy(rows, id), [rows, id]);
  const groups = useMemo(() => {
    const shown = everything ? below : near;
    const latest = below.reduce((max, row) => Math.max(max, row.startMs), 0);
    return groupsOf(shown, latest, everything ? undefined : sumsBelow(rows, shown));
  }, [everything, below, rows, near]);
  return (
    <Section
      title="Calls"
      aside={
        below.length > near.length && (
          <Button look="plain" pressed={everything} onClick={() => setEverything(!everything)}>
            Everything below ({count(below.length)})
          </Button>
        )
      }
    >
      {groups.length === 0 ? <Nothing>It called nothing that was recorded.</Nothing> : <GroupTable groups={groups} />}
    </Section>
  );
}

const MOST = 200;

function GroupTable({ groups }: { groups: Group[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={css.scroll} aria-label="Calls by name" tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Calls</th>
            <th scope="col">Failed</th>
            <th scope="col">Time</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, MOST).map((group) => (
            <tr key={`${group.kind} ${group.inferred} ${group.name}`}>
              <th scope="row">
                <span className={css.who}>
                  <SpanLink traceId={group.first.traceId} spanId={group.first.id} className={css.name}>
                    <KindIcon kind={group.kind} />
                    <SpanName name={group.name || "(no name)"} />
                  </SpanLink>
                  {group.inferred && <InferredMark />}
                </span>
              </th>
              <td>{count(group.count)}</td>
              <td className={clsx(group.errors > 0 && css.failed)}>{group.errors > 0 ? `✗ ${group.errors}` : "–"}</td>
              <td>{group.running > 0 ? "running" : duration(group.totalMs)}</td>
              <td>{tokens(group)}</td>
              <td>
                <SummedCost of={{ cost_usd: group.costUsd, unpriced_calls: group.unpricedCalls }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {groups.length > MOST && <Nothing>and {count(groups.length - MOST)} more names</Nothing>}
    </section>
  );
}

function tokens({ inputTokens, outputTokens }: Group): string {
  if (inputTokens === null && outputTokens === null) return "–";
  return `${compact(inputTokens)} → ${compact(outputTokens)}`;
}
