import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { ArrowDown, ArrowUp, ChevronRight } from "lucide-react";
import { type ReactNode, use, useMemo } from "react";
import { calleeName } from "@/lib/calls";
import { duration } from "@/lib/format";
import type { FullSpan } from "@/lib/full-span";
import { howInferred } from "@/lib/inferred";
import type { SpanRow } from "@/lib/spans";
import { visibleLine } from "@/lib/visible";
import { Here } from "@/ui/here";
import { KindIcon, kindLabel } from "@/ui/kind";
import { Recorded } from "@/ui/recorded";
import { SpanLink } from "@/ui/span-link";
import { SpanName } from "@/ui/span-name";
import { StatusMark } from "@/ui/status";
import { CopyMenu } from "./copy-menu";
import { type Around, agentAround } from "./related";
import { selfTimeMs } from "./self-time";
import css from "./span-header.module.css";

interface Props {
  traceId: string;
  span: FullSpan | null;
  raw: object | null;
  place: Around;
  rows: readonly SpanRow[];
  labels: ReactNode;
}

/** The name, status and place of a span, also while the rest is loading. */
export function SpanHeader({ traceId, span, raw, place, rows, labels }: Props) {
  const { row } = place;
  const selfMs = useMemo(() => (row ? selfTimeMs(rows, row.id) : null), [rows, row]);
  const known = span ?? row;
  if (!known) return null;
  const agent = known.agent ?? agentAround(place)?.agent ?? null;
  const ms = span ? span.duration_ms : (row?.durationMs ?? null);
  return (
    <header className={css.header}>
      <div className={css.line}>
        <Crumbs traceId={traceId} ancestors={place.ancestors} span={span} alone={rows.length === 0} />
        <div className={css.tools}>
          <Step to={place.previous} label="Previous span beside it" Icon={ArrowUp} />
          <Step to={place.next} label="Next span beside it" Icon={ArrowDown} />
          <CopyMenu span={span} raw={raw} />
        </div>
      </div>
      <div className={css.title}>
        <KindIcon kind={known.kind} size={16} />
        <h2 className={css.name}>
          <SpanName name={known.name || "(no name)"} of={known} />
        </h2>
        <StatusMark status={known.status} label />
        {labels && <div className={css.labels}>{labels}</div>}
      </div>
      {row?.inferred && <p className={css.inferred}>{howInferred(row.inferred)}</p>}
      <p className={css.facts}>
        <span>{kindLabel(known.kind)}</span>
        <span>{ms === null ? (known.status === "running" ? "running" : "no end recorded") : duration(ms)}</span>
        {selfMs !== null && (
          <span title="The time in which none of its calls was running">self time {duration(selfMs)}</span>
        )}
        {row && <span>{row.startMs === 0 ? "at the start of the run" : `${duration(row.startMs)} into the run`}</span>}
        {agent !== null && known.kind !== "agent" && (
          <span>
            by <Recorded text={agent} />
          </span>
        )}
        {span?.service && (
          <span>
            in <Recorded text={span.service} />
          </span>
        )}
      </p>
    </header>
  );
}

function Step({ to, label, Icon }: { to: SpanRow | null; label: string; Icon: typeof ArrowUp }) {
  if (!to) {
    return (
      <span className={clsx(css.step, css.off)}>
        <Icon size={14} aria-hidden />
      </span>
    );
  }
  return (
    <SpanLink
      traceId={to.traceId}
      spanId={to.id}
      className={css.step}
      label={label}
      title={`${label}: ${visibleLine(to.name)}`}
    >
      <Icon size={14} aria-hidden />
    </SpanLink>
  );
}

const SHOWN = 3;

function Crumbs({
  traceId,
  ancestors,
  span,
  alone,
}: {
  traceId: string;
  ancestors: SpanRow[];
  span: FullSpan | null;
  alone: boolean;
}) {
  const isHere = use(Here)?.(traceId) ?? false;
  if (alone && isHere) return <div className={css.crumbs} />;
  if (alone && span) {
    return (
      <div className={css.crumbs}>
        <Link to="/traces/$traceId" params={{ traceId }} search={{ span: span.span_id }} className={css.crumb}>
          Open in its run
        </Link>
      </div>
    );
  }
  if (ancestors.length === 0)
    return <div className={css.crumbs}>{!span || span.parent_id === null ? "root" : "parent not recorded"}</div>;
  const shown = ancestors.length > SHOWN + 1 ? ancestors.slice(-SHOWN) : ancestors;
  return (
    <nav aria-label="Spans above" className={css.crumbs}>
      {shown.length < ancestors.length && <span title={`${ancestors.length - shown.length} more above`}>…</span>}
      {shown.map((row, at) => (
        <span key={row.id} className={css.crumbItem}>
          {(at > 0 || shown.length < ancestors.length) && <ChevronRight size={12} aria-hidden />}
          <SpanLink traceId={row.traceId} spanId={row.id} className={css.crumb}>
            <KindIcon kind={row.kind} size={12} />
            <Recorded text={calleeName(row)} className={css.crumbName} />
          </SpanLink>
        </span>
      ))}
    </nav>
  );
}
