import clsx from "clsx";
import { ChevronsDown, Equal, Route, Rows2, ZoomIn, ZoomOut } from "lucide-react";
import { KINDS, type Kind } from "@/lib/filter";
import { count, duration } from "@/lib/format";
import { Button } from "@/ui/button";
import { KindIcon, kindLabel } from "@/ui/kind";
import { FindBox } from "./find-box";
import { InferredChip } from "./inferred-chip";
import type { KindCounts } from "./picture";
import css from "./trace-toolbar.module.css";
import type { TraceSearch } from "./url";
import type { Find } from "./use-find";
import type { Zoom } from "./use-zoom";

interface Props {
  search: TraceSearch;
  onChange: (change: TraceSearch) => void;
  kinds: ReadonlyMap<Kind, KindCounts>;
  folded: boolean;
  /** How many spans tell once more of a call. */
  duplicates: number;
  /** How many rows follow from messages alone. */
  inferred: number;
  /** Whether more is to come. */
  running: boolean;
  zoom: Zoom;
  find: Find;
  onLeaveFind: () => void;
}

/** What of the waterfall shows, and how closely. */
export function TraceToolbar(props: Props) {
  const { search, onChange, folded } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div className={css.room} role="group" aria-label="Waterfall">
      <div className={css.bar}>
        <FindBox
          text={search.find ?? ""}
          onText={(text) => onChange({ find: text || undefined })}
          find={props.find}
          onLeave={props.onLeaveFind}
        />
        <KindChips kinds={props.kinds} hidden={search.hide ?? []} onHide={(hide) => onChange({ hide })} />
        <InferredChip rows={props.inferred} hidden={search.inferred === "0"} />
        <SameChip
          spans={props.duplicates}
          hidden={search.same === "0"}
          onHide={(hide) => onChange({ same: hide ? "0" : undefined })}
        />
        <div className={css.right}>
          {props.running && (
            <Button
              look="plain"
              pressed={search.follow === "1"}
              onClick={() => onChange({ follow: search.follow === "1" ? undefined : "1" })}
              title="Keep the newest call in view (Shift+F)"
            >
              <ChevronsDown size={14} aria-hidden />
              <span className={css.text}>Follow</span>
            </Button>
          )}
          <Button
            look="plain"
            pressed={search.path === "1"}
            onClick={() => onChange({ path: search.path === "1" ? undefined : "1" })}
            title="Mark the spans that determined when the run ended"
          >
            <Route size={14} aria-hidden />
            <span className={css.text}>Critical path</span>
          </Button>
          <Button
            look="plain"
            pressed={folded}
            onClick={() => onChange({ fold: folded ? "0" : "1" })}
            title="Show four or more equal siblings in a row as one line"
          >
            <Rows2 size={14} aria-hidden />
            <span className={css.text}>Fold</span>
          </Button>
          <ZoomTools zoom={props.zoom} />
        </div>
      </div>
    </div>
  );
}

function ZoomTools({ zoom }: { zoom: Zoom }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div role="group" aria-label="Zoom" className={css.group}>
      <Button
        look="plain"
        disabled={!zoom.zoomed}
        onClick={() => zoom.scale(2)}
        aria-label="Zoom out"
        title="Zoom out (-)"
      >
        <ZoomOut size={14} aria-hidden />
      </Button>
      <Button look="plain" disabled={!zoom.zoomed} onClick={zoom.reset} title="Show the whole time (0)">
        {zoom.zoomed ? duration(zoom.view.to - zoom.view.from) : "All time"}
      </Button>
      <Button look="plain" onClick={() => zoom.scale(0.5)} aria-label="Zoom in" title="Zoom in (+)">
        <ZoomIn size={14} aria-hidden />
      </Button>
    </div>
  );
}

/** Shows and hides duplicates: the framework's span over the provider's, a server's tool call. */
function SameChip({ spans, hidden, onHide }: { spans: number; hidden: boolean; onHide: (hide: boolean) => void }) {
  if (spans === 0) return null;
  const duplicates = `${spans === 1 ? "the span that is a duplicate" : `the ${count(spans)} spans that are duplicates`} of calls, counted once`;
  return (
    <Button
      look="plain"
      pressed={!hidden}
      className={clsx(css.chip, css.duplicates)}
      onClick={() => onHide(!hidden)}
      title={`${hidden ? "Show" : "Hide"} ${duplicates}`}
    >
      <Equal size={13} aria-hidden />
      {count(spans)} <span className={css.word}>{spans === 1 ? "duplicate" : "duplicates"}</span>
    </Button>
  );
}

interface ChipsProps {
  kinds: ReadonlyMap<Kind, KindCounts>;
  hidden: readonly Kind[];
  onHide: (hidden: Kind[] | undefined) => void;
}

function KindChips({ kinds, hidden, onHide }: ChipsProps) {
  if (kinds.size < 2) return null;
  function toggle(kind: Kind) {
    const next = hidden.includes(kind) ? hidden.filter((each) => each !== kind) : [...hidden, kind];
    onHide(next.length ? next : undefined);
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div role="group" aria-label="Kinds that show" className={css.chips}>
      {KINDS.map((kind) => {
        const counts = kinds.get(kind);
        const isHidden = hidden.includes(kind);
        return (
          counts && (
            <Button
              key={kind}
              look="plain"
              pressed={!isHidden}
              className={css.chip}
              onClick={() => toggle(kind)}
              title={`${isHidden ? "Show" : "Hide"} ${kindLabel(kind)}${counts.inferred > 0 ? `, ${count(counts.inferred)} inferred` : ""}`}
            >
              <KindIcon kind={kind} size={13} />
              {countsText(counts)}
            </Button>
          )
        );
      })}
    </div>
  );
}

/** Calls, and what is inferred beside them: pressing hides both. */
function countsText({ calls, inferred }: KindCounts): string {
  return inferred > 0 ? `${count(calls)} + ${count(inferred)}` : count(calls);
}
