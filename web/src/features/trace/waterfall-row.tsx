// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be a virtual list
// biome-ignore-all lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
import clsx from "clsx";
import { ChevronDown, ChevronRight, Clock3, CornerLeftUp, Equal, RefreshCcwDot, Repeat } from "lucide-react";
import { type CSSProperties, memo } from "react";
import { compact, count, dollars, plural } from "@/lib/format";
import { partsOfName, targetOf } from "@/lib/operation";
import type { SpanRow } from "@/lib/spans";
import { visibleLine } from "@/lib/visible";
import { InferredMark } from "@/ui/inferred-mark";
import { KindIcon } from "@/ui/kind";
import { StatusMark } from "@/ui/status";
import { Bar } from "./bar";
import { FoldBar } from "./fold-bar";
import type { RowPreview } from "./preview";
import type { Range } from "./time-scale";
import css from "./waterfall-row.module.css";

/** Deeper rows are not indented further: a number says how deep they are. */
const MOST_INDENT = 10;

/** Why a row does not stand where its own record says. */
export type Oddity = "orphan" | "cycle" | "early" | null;

interface Props {
  row: SpanRow;
  /** The line's number from the top, from 0, and how far down it stands in pixels. */
  line: number;
  top: number;
  level: number;
  open: boolean | undefined;
  position: number;
  size: number;
  /** What a closed line hides. */
  hiddenSpans: number;
  hiddenFailures: number;
  /** Its own figures, or what those below it come to. */
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
  summed: boolean;
  /** Whether these figures are counted at another line. */
  elsewhere: boolean;
  /** Which span it is a duplicate of; null for one that counts itself. */
  sameAs: string | null;
  /** How many of its duplicates are hidden. */
  duplicates: number;
  oddity: Oddity;
  /** The agent that the line above it already names. */
  agentAbove: string | null;
  selected: boolean;
  active: boolean;
  matched: boolean;
  view: Range;
  now: () => number;
  critical: readonly number[] | undefined;
  /** What it was given and gave, in a line. */
  preview: RowPreview | null;
  /** For a line that stands for several spans: all rows, and which of them. */
  rows?: readonly SpanRow[] | undefined;
  members?: readonly number[] | undefined;
  /** How many of them make one cycle; 1 where all are equal. */
  period?: number | undefined;
}

/** One line of the waterfall. */
export const WaterfallRow = memo(function WaterfallRow(props: Props) {
  const { row, level, line, open, rows, members, view, now, critical } = props;
  const extra = members ? null : extraOf(row, props.agentAbove);
  const { period = 1 } = props;
  const cycle = period > 1 && rows ? members?.slice(0, period).map((at) => rows[at] as SpanRow) : undefined;
  return (
    <div
      role="row"
      id={`line-${line}`}
      data-line={line}
      aria-level={level + 1}
      aria-expanded={open}
      aria-selected={props.selected}
      aria-rowindex={line + 2}
      aria-posinset={props.position}
      aria-setsize={props.size}
      className={clsx(
        css.row,
        props.matched && css.matched,
        props.selected && css.selected,
        props.active && css.active,
        props.sameAs !== null && css.duplicate,
      )}
      style={{ top: props.top }}
    >
      <div role="gridcell" className={css.name}>
        <Indent level={level} />
        <Toggle open={open} />
        {cycle ? <Repeat size={14} aria-hidden className={css.cycle} /> : <KindIcon kind={row.kind} />}
        {row.status !== "ok" && <StatusMark status={row.status} size={13} />}
        <Oddities oddity={props.oddity} />
        {props.sameAs !== null && <SameAs which={props.sameAs} />}
        {members && rows && period === 0 ? (
          <Plumbing names={members.map((at) => (rows[at] as SpanRow).name)} />
        ) : cycle && members ? (
          <CycleName cycle={cycle} times={members.length / cycle.length} />
        ) : (
          <Name row={row} members={members?.length} />
        )}
        {row.inferred && <InferredMark />}
        {row.inferred?.what === "conversation" && (
          <span className={css.turns}>{plural(row.inferred.turns, "turn")}</span>
        )}
        {extra && <bdi className={css.extra}>{visibleLine(extra)}</bdi>}
        {props.preview && <Given preview={props.preview} />}
        {props.duplicates > 0 && <HiddenDuplicates spans={props.duplicates} />}
        {props.hiddenSpans > 0 && <Hidden spans={props.hiddenSpans} failures={props.hiddenFailures} />}
      </div>
      <div role="gridcell" className={clsx(css.tokens, props.summed && css.summed)}>
        <Tokens input={props.inputTokens} output={props.outputTokens} elsewhere={props.elsewhere} />
      </div>
      <div role="gridcell" className={clsx(css.cost, props.summed && css.summed)}>
        {props.costUsd !== null && (props.elsewhere ? `(${dollars(props.costUsd)})` : dollars(props.costUsd))}
      </div>
      <div role="gridcell" className={css.track}>
        {rows && members ? (
          <FoldBar rows={rows} members={members} view={view} now={now} critical={critical} />
        ) : (
          <Bar row={row} view={view} now={now} critical={critical} />
        )}
      </div>
    </div>
  );
});

/** What tells a span apart that its name does not say. */
function extraOf(row: SpanRow, agentAbove: string | null): string | null {
  const words = [row.tool, row.model, row.agent === agentAbove ? null : row.agent];
  const missing = words.filter((word) => word !== null && word !== "" && !row.name.includes(word));
  return missing.length ? missing.join(" · ") : null;
}

/** What it was given, and what came of it or why nothing did. */
function Given({ preview: { input, output, error } }: { preview: RowPreview }) {
  const gave = error ?? output;
  if (input === null && gave === null) return null;
  const words = [input, gave].filter((each) => each !== null).map(visibleLine);
  return (
    <span className={css.preview} title={words.join(" → ")}>
      {input !== null && <bdi className={css.given}>{visibleLine(input)}</bdi>}
      {gave !== null && (
        <>
          <span aria-hidden>→</span>
          <bdi className={clsx(css.gave, error !== null && css.wrong)}>{visibleLine(gave)}</bdi>
        </>
      )}
    </span>
  );
}

function Indent({ level }: { level: number }) {
  return (
    <>
      <span className={css.indent} style={{ "--level": Math.min(level, MOST_INDENT) } as CSSProperties} />
      {level > MOST_INDENT && (
        <span className={css.depth} title={`${count(level)} levels below its root`}>
          {level}
        </span>
      )}
    </>
  );
}

function Toggle({ open }: { open: boolean | undefined }) {
  if (open === undefined) return <span className={css.toggle} />;
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <button type="button" tabIndex={-1} data-toggle className={css.toggle} aria-label={open ? "Collapse" : "Expand"}>
      <Icon size={14} aria-hidden />
    </button>
  );
}

/** The name, with the word for what it does held back behind what it does it to. */
function Name({ row, members }: { row: SpanRow; members: number | undefined }) {
  const at = partsOfName(row.name, targetOf(row))[0].length;
  const shown = visibleLine(row.name);
  return (
    <bdi className={css.text} title={shown}>
      {members !== undefined && <span className={css.members}>{count(members)} × </span>}
      {at > 0 && <span className={clsx(css.verb, css.operation)}>{visibleLine(row.name.slice(0, at))}</span>}
      {visibleLine(row.name.slice(at)) || <span className={css.verb}>no name</span>}
    </bdi>
  );
}

/** Spans that come in cycles, by what each of one cycle is done to. */
function CycleName({ cycle, times }: { cycle: readonly SpanRow[]; times: number }) {
  const names = cycle.map((row) => visibleLine(targetOf(row) ?? partsOfName(row.name)[1]));
  return (
    <bdi className={css.text} title={`${count(times)} × ${names.join(", ")}`}>
      <span className={css.members}>{count(times)} × </span>
      {names.join(", ")}
    </bdi>
  );
}

/** Messages that only keep a connection going. */
function Plumbing({ names }: { names: readonly string[] }) {
  return (
    <bdi className={css.text} title={visibleLine(names.join(", "))}>
      <span className={css.verb}>MCP: {plural(names.length, "message")}</span>
    </bdi>
  );
}

function Hidden({ spans, failures }: { spans: number; failures: number }) {
  return (
    <>
      <span className={css.below} title={`${plural(spans, "span")} below`}>
        +{compact(spans)}
      </span>
      {failures > 0 && (
        <span className={css.failures} title={`${plural(failures, "failure")} below`}>
          <StatusMark status="error" size={12} />
          {compact(failures)}
        </span>
      )}
    </>
  );
}

/** That a span is a duplicate of another one. */
function SameAs({ which }: { which: string }) {
  const words = `Duplicate of ${which}, counted there`;
  return (
    <span className={css.same} title={words}>
      <Equal size={13} aria-hidden />
      <span className="visually-hidden">{words}</span>
    </span>
  );
}

function HiddenDuplicates({ spans }: { spans: number }) {
  const words = `${plural(spans, "hidden duplicate")}`;
  return (
    <span className={css.duplicates} title={words}>
      <Equal size={11} aria-hidden />
      {count(spans)}
      <span className="visually-hidden"> {words}</span>
    </span>
  );
}

function Oddities({ oddity }: { oddity: Oddity }) {
  if (oddity === null) return null;
  const [Icon, words] = ODDITIES[oddity];
  return (
    <span className={css.odd} title={words}>
      <Icon size={13} aria-hidden />
      <span className="visually-hidden">{words}</span>
    </span>
  );
}

const ODDITIES = {
  orphan: [CornerLeftUp, "The span above it was not recorded."],
  cycle: [RefreshCcwDot, "It was recorded as part of a circle, which is cut here."],
  early: [Clock3, "It began before the span above it: two clocks disagree."],
} as const;

function Tokens({ input, output, elsewhere }: { input: number | null; output: number | null; elsewhere: boolean }) {
  if (input === null && output === null) return null;
  const where = elsewhere ? ", a duplicate: counted at another span" : "";
  return (
    <span title={`${count(input)} tokens in, ${count(output)} out${where}`}>
      {elsewhere && "("}
      {compact(input)} <span className={css.verb}>→</span> {compact(output)}
      {elsewhere && ")"}
    </span>
  );
}
