// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be a virtual list
// biome-ignore-all lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
import clsx from "clsx";
import { ChevronDown, ChevronRight, Clock3, CornerLeftUp, Equal, RefreshCcwDot, Repeat } from "lucide-react";
import { type CSSProperties, memo } from "react";
import { compact, count, dollars, plural } from "@/lib/format";
import { partsOfName, targetOf } from "@/lib/operation";
import type { SpanRow } from "@/lib/spans";
import { visibleLine } from "@/lib/visible";
import { CallPreview } from "@/ui/call-preview";
import { InferredMark } from "@/ui/inferred-mark";
import { KindIcon } from "@/ui/kind";
import { StatusMark } from "@/ui/status";
import { Bar } from "./bar";
import { FoldBar } from "./fold-bar";
import type { RowPreview } from "./preview";
import type { Range } from "./time-scale";
import css from "./waterfall-row.module.css";

/** Deeper rows are not indented further, but show their depth as a number. */
const MOST_INDENT = 10;

/** Why a row is not placed where its own record says. */
export type Oddity = "orphan" | "cycle" | "early" | null;

/** The position of a line: its number from the top, its offset in pixels, and its place in the tree. */
export interface LinePlace {
  line: number;
  top: number;
  level: number;
  open: boolean | undefined;
  /** Among its siblings, from 1, and how many they are. */
  position: number;
  siblings: number;
}

/** Its own figures, or the sums of those below it. */
export interface LineFigures {
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
  summed: boolean;
  /** Whether they are counted at another line. */
  elsewhere: boolean;
}

/** How many rows and duplicates a closed line hides. */
export interface LineHides {
  spans: number;
  failures: number;
  lost: number;
  duplicates: number;
}

/** The spans of a line: all rows, and the indices of its own. */
export interface LineFold {
  rows: readonly SpanRow[];
  members: readonly number[];
  /** How many of them make one cycle; 1 if all are equal, 0 for connection messages. */
  period: number;
}

/** How a line is marked. */
export interface LineMarks {
  selected: boolean;
  /** The keyboard is on it. */
  active: boolean;
  matched: boolean;
}

/** The visible time range, and its critical path. */
export interface LineTime {
  view: Range;
  now: () => number;
  critical: readonly number[] | undefined;
}

interface Props {
  row: SpanRow;
  place: LinePlace;
  figures: LineFigures;
  hides: LineHides;
  /** Null for a line of one span. */
  fold: LineFold | null;
  marks: LineMarks;
  time: LineTime;
  /** The span that it duplicates; null if it counts itself. */
  sameAs: string | null;
  oddity: Oddity;
  /** The agent that the line above it already names. */
  agentAbove: string | null;
  /** Its input and output in a line. */
  preview: RowPreview | null;
}

/** One line of the waterfall. */
export const WaterfallRow = memo(function WaterfallRow(props: Props) {
  const { row, place, figures, hides, fold, marks, time, sameAs, oddity, agentAbove, preview } = props;
  const { line, level, open } = place;
  return (
    <div
      role="row"
      id={`line-${line}`}
      data-line={line}
      aria-level={level + 1}
      aria-expanded={open}
      aria-selected={marks.selected}
      aria-rowindex={line + 2}
      aria-posinset={place.position}
      aria-setsize={place.siblings}
      className={clsx(
        css.row,
        marks.matched && css.matched,
        marks.selected && css.selected,
        marks.active && css.active,
        sameAs !== null && css.duplicate,
      )}
      style={{ top: place.top }}
    >
      <div role="gridcell" className={css.name}>
        <Indent level={level} />
        <Toggle open={open} />
        {isCycle(fold) ? <Repeat size={14} aria-hidden className={css.cycle} /> : <KindIcon kind={row.kind} />}
        {row.status !== "ok" && <StatusMark status={row.status} size={13} />}
        <Oddities oddity={oddity} />
        {sameAs !== null && <SameAs which={sameAs} />}
        {fold ? <FoldName fold={fold} row={row} /> : <Name row={row} />}
        {row.inferred && <InferredMark />}
        {row.inferred?.what === "conversation" && (
          <span className={css.turns}>{plural(row.inferred.turns, "turn")}</span>
        )}
        {!fold && <Extra row={row} agentAbove={agentAbove} />}
        {hides.duplicates > 0 && <HiddenDuplicates spans={hides.duplicates} />}
        {hides.spans > 0 && <Hidden {...hides} />}
        {preview && <CallPreview of={preview} className={css.preview} />}
      </div>
      <div role="gridcell" className={clsx(css.tokens, figures.summed && css.summed)}>
        <Tokens figures={figures} />
      </div>
      <div role="gridcell" className={clsx(css.cost, figures.summed && css.summed)}>
        <Cost figures={figures} />
      </div>
      <div role="gridcell" className={css.track}>
        {fold ? <FoldBar rows={fold.rows} members={fold.members} {...time} /> : <Bar row={row} {...time} />}
      </div>
    </div>
  );
}, isSameLine);

/** The props of a line are new objects with each render: compare their content. */
function isSameLine(before: Props, after: Props): boolean {
  return everySame(before, after, (one, other) => isRecord(one) && isRecord(other) && everySame(one, other));
}

function everySame(before: object, after: object, orElse: (a: unknown, b: unknown) => boolean = () => false): boolean {
  return Object.entries(after).every(([name, value]) => {
    const old: unknown = before[name as keyof typeof before];
    return Object.is(old, value) || orElse(old, value);
  });
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isCycle(fold: LineFold | null): boolean {
  return fold !== null && fold.period > 1;
}

/** The name of several spans on one line. */
function FoldName({ fold, row }: { fold: LineFold; row: SpanRow }) {
  const { rows, members, period } = fold;
  const spans = (ats: readonly number[]) => ats.map((at) => rows[at] as SpanRow);
  if (period === 0) return <Plumbing names={spans(members).map(({ name }) => name)} />;
  if (period > 1) return <CycleName cycle={spans(members.slice(0, period))} times={members.length / period} />;
  return <Name row={row} members={members.length} />;
}

/** Details of a span that its name lacks. */
function Extra({ row, agentAbove }: { row: SpanRow; agentAbove: string | null }) {
  const words = [row.tool, row.model, row.agent === agentAbove ? null : row.agent];
  const missing = words.filter((word) => word !== null && word !== "" && !row.name.includes(word));
  return missing.length > 0 && <bdi className={css.extra}>{visibleLine(missing.join(" · "))}</bdi>;
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

/** For the pointer: for others the row itself is expanded, and named by its call. */
function Toggle({ open }: { open: boolean | undefined }) {
  if (open === undefined) return <span className={css.toggle} />;
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <span data-toggle aria-hidden className={clsx(css.toggle, css.switch)} title={open ? "Collapse" : "Expand"}>
      <Icon size={14} />
    </span>
  );
}

/** The name: the operation yields to the subject if there is no room for both. */
function Name({ row, members }: { row: SpanRow; members?: number }) {
  const at = partsOfName(row.name, targetOf(row))[0].length;
  const shown = visibleLine(row.name);
  return (
    <bdi className={css.text} title={shown}>
      {members !== undefined && <span className={css.members}>{count(members)} × </span>}
      {at > 0 && <bdi className={clsx(css.verb, css.operation)}>{visibleLine(row.name.slice(0, at))}</bdi>}
      {visibleLine(row.name.slice(at)) || <span className={css.verb}>no name</span>}
    </bdi>
  );
}

/** Repeating cycles of spans, named by the subjects of one cycle. */
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

function Hidden({ spans, failures, lost }: LineHides) {
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
      {lost > 0 && (
        <span className={clsx(css.failures, css.lost)} title={`${plural(lost, "lost call")} below`}>
          <StatusMark status="lost" size={12} />
          {compact(lost)}
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
  orphan: [CornerLeftUp, "Its parent span was not recorded."],
  cycle: [RefreshCcwDot, "Its parents form a cycle, which is cut here."],
  early: [Clock3, "It started before its parent: two clocks disagree."],
} as const;

function Tokens({ figures: { inputTokens, outputTokens, elsewhere } }: { figures: LineFigures }) {
  if (inputTokens === null && outputTokens === null) return null;
  const where = elsewhere ? ", a duplicate: counted at another span" : "";
  return (
    <span title={`${count(inputTokens)} tokens in, ${count(outputTokens)} out${where}`}>
      {elsewhere && "("}
      {compact(inputTokens)} <span className={css.verb}>→</span> {compact(outputTokens)}
      {elsewhere && ")"}
    </span>
  );
}

function Cost({ figures: { costUsd, elsewhere } }: { figures: LineFigures }) {
  if (costUsd === null) return null;
  return elsewhere ? `(${dollars(costUsd)})` : dollars(costUsd);
}
