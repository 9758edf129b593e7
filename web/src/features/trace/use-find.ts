import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useMemo, useState } from "react";
import type { HitPlace } from "@/api/client";
import { hitsQuery, type Place } from "@/api/queries";
import type { HitPlace as InferredHit } from "@/lib/hits";
import type { SpanRow } from "@/lib/spans";
import type { Tree } from "@/lib/tree";
import { inferredPlace } from "./find-inferred";
import { findSpans } from "./find-spans";
import { searchedFor } from "./find-words";
import type { Selection } from "./use-selection";

interface Parts {
  place: Place;
  text: string;
  rows: readonly SpanRow[];
  tree: Tree;
  selection: Selection;
  /** Whether the address names a span. */
  hasSpan: boolean;
  running: boolean;
}

export interface Find {
  /** Matching rows, in the order of the waterfall. */
  matches: readonly number[];
  /** How many there are with those that were not looked into, and which of them is selected, from 0; -1 for none. */
  found: { count: number; current: number; looking: boolean };
  /** Where the words are in the selected span. */
  place: HitPlace | InferredHit | null;
  /** Whether the server found it by the name of an attribute, or spelled otherwise: no place of it can be shown. */
  unplaced: boolean;
  notice: string | undefined;
  step: (by: 1 | -1) => void;
}

const LIVE_MS = 3000;
const NONE: readonly number[] = [];

/** The search among the spans: names are searched here, contents on the server. */
export function useFind({ place, text, rows, tree, selection, hasSpan, running }: Parts): Find {
  const hits = useQuery({
    ...hitsQuery(place, searchedFor(text)),
    enabled: text.trim() !== "",
    placeholderData: keepPreviousData,
    refetchInterval: running ? LIVE_MS : false,
  });
  const data = text.trim() ? hits.data : undefined;
  const places = useMemo(() => new Map(data?.items.map((hit) => [hit.span_id, hit.places])), [data]);
  // The server knows no inferred calls.
  const placeIn = useCallback(
    ({ inferred }: SpanRow) => (inferred?.what === "tool" ? inferredPlace(inferred, text) : null),
    [text],
  );
  const matches = useMemo(() => {
    if (!text.trim()) return NONE;
    const named = new Set(findSpans(rows, tree.order, text));
    const holds = (row: SpanRow) => places.has(row.id) || placeIn(row) !== null;
    return Array.from(tree.order).filter((at) => named.has(at) || holds(rows[at] as SpanRow));
  }, [rows, tree, text, places, placeIn]);
  const at = tree.places.get(selection.id ?? "") ?? -1;
  const current = matches.indexOf(at);
  const selected = rows[at];
  const beyond = data ? data.total - data.items.length : 0;

  function step(by: 1 | -1) {
    if (!matches.length) return;
    const next = current < 0 ? (by > 0 ? 0 : matches.length - 1) : (current + by + matches.length) % matches.length;
    const row = rows[matches[next] as number];
    if (row) selection.pass(row.id);
  }

  // A search that led here begins at its first hit; one that is typed here does not move what is looked at.
  const [opens, setOpens] = useState(text !== "" && !hasSpan);
  const first = useEffectEvent(() => step(1));
  const isHere = data !== undefined && !hits.isPlaceholderData;
  useEffect(() => {
    if (!opens || !isHere) return;
    setOpens(false);
    first();
  }, [opens, isHere]);

  return {
    matches,
    found: { count: matches.length + beyond, current, looking: hits.isFetching && (!data || hits.isPlaceholderData) },
    place: places.get(selection.id ?? "")?.[0] ?? (selected ? placeIn(selected) : null),
    unplaced: places.get(selection.id ?? "")?.length === 0,
    notice: data?.notice,
    step,
  };
}
