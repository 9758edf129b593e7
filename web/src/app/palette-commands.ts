import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type GroupBy, isNotFound, type Run, type SpanEvent } from "@/api/client";
import { spanByIdQuery, statsQuery, topRunsQuery } from "@/api/queries";
import type { Filter } from "@/lib/filter";
import { ago, dollars, plural } from "@/lib/format";
import { groupedBy } from "@/lib/grouped";
import { runName } from "@/lib/run-name";
import { keyOf } from "@/lib/shortcuts";
import { unixMs } from "@/lib/time";
import { type Command, offeredCommands } from "@/ui/commands";
import { type Pasted, pasted } from "./pasted";
import { ranked } from "./rank";
import { applyTheme, THEMES } from "./theme";

const MOST = 60;
const RECENT = 8;
/** Names change rarely, and counting them is the most expensive part of the palette. */
const NAMES_STALE_MS = 60_000;

/** The commands that match the typed text, best first, and whether recorded data is still being searched. */
export function useFound(typed: string): { commands: Command[]; searching: boolean } {
  // The page's commands at the time the palette opens.
  const [offered] = useState(offeredCommands);
  const words = typed.trim();
  const settled = useSettled(words, 200);
  const places = usePlaceCommands();
  const names = useNameCommands();
  const runs = useRunCommands(settled);
  const ids = useIdCommands(words);
  const searches = useSearchCommands(words);
  const fixed = [
    ...offered.filter(isOfPage),
    ...places.go,
    ...runs.latest,
    ...names,
    ...places.looks,
    ...offered.filter((command) => !isOfPage(command)),
  ];
  const fitting = words ? ranked(words, fixed, ({ title, words: more }) => (more ? `${title} ${more}` : title)) : fixed;
  const shown = new Set(fitting.map(({ id }) => id));
  const found = runs.found.filter(({ id }) => !shown.has(id));
  const commands = [...ids.commands, ...gathered(fitting).slice(0, MOST), ...searches, ...found];
  return { commands, searching: words !== "" && (ids.searching || runs.searching || settled !== words) };
}

/** Commands below their headings, in the order of their first command. */
export function grouped(commands: readonly Command[]) {
  const placed = commands.map((command, place) => ({ command, place }));
  const groups = groupedBy(placed, ({ command }) => command.group ?? THIS_PAGE);
  return [...groups].map(([group, members]) => ({ group, members }));
}

const THIS_PAGE = "This page";

function isOfPage({ group }: Command): boolean {
  return group === undefined;
}

/** The same commands, with those of the same heading together. */
function gathered(commands: readonly Command[]): Command[] {
  return grouped(commands).flatMap(({ members }) => members.map(({ command }) => command));
}

function usePlaceCommands(): { go: Command[]; looks: Command[] } {
  const navigate = useNavigate();
  const place = (to: "/" | "/sessions" | "/spans" | "/stats", title: string, keys: string, words: string): Command => ({
    id: `go ${to}`,
    group: "Go to",
    title,
    keys,
    words: `go to ${words}`,
    run: () => void navigate({ to }),
  });
  const failed: Filter = { status: ["error"] };
  const go = [
    place("/", "Runs", keyOf("toRuns"), "traces list"),
    place("/sessions", "Sessions", keyOf("toSessions"), "conversations"),
    place("/spans", "Spans", keyOf("toSpans"), "events tail live calls"),
    place("/stats", "Stats", keyOf("toStats"), "statistics figures cost latency"),
    {
      id: "failed runs",
      group: "Go to",
      title: "Runs that failed",
      words: "show errors only",
      run: () => void navigate({ to: "/", search: failed }),
    },
    {
      id: "failed spans",
      group: "Go to",
      title: "Spans that failed",
      words: "show errors only events spans failed",
      run: () => void navigate({ to: "/spans", search: failed }),
    },
  ];
  const looks = THEMES.map((theme) => ({
    id: `theme ${theme}`,
    group: "Appearance",
    title: `Theme: ${theme}`,
    words: "dark light system mode colours",
    run: () => applyTheme(theme),
  }));
  return { go, looks };
}

const NAMED = [
  { by: "agent", group: "Agents" },
  { by: "model", group: "Models" },
  { by: "tool", group: "Tools" },
] as const satisfies readonly { by: GroupBy; group: string }[];

function useNameCommands(): Command[] {
  const navigate = useNavigate();
  const agents = useQuery({ ...statsQuery({ filter: {}, by: "agent" }), staleTime: NAMES_STALE_MS });
  const models = useQuery({ ...statsQuery({ filter: {}, by: "model" }), staleTime: NAMES_STALE_MS });
  const tools = useQuery({ ...statsQuery({ filter: {}, by: "tool" }), staleTime: NAMES_STALE_MS });
  return [agents, models, tools].flatMap(({ data }, at) => {
    const { by, group } = NAMED[at] ?? NAMED[0];
    return (data?.groups ?? []).flatMap(({ key, count: spans, errors }) =>
      key === null
        ? []
        : {
            id: `${by} ${key}`,
            group,
            title: key,
            words: `${by} runs`,
            note: errors ? `${plural(spans, "span")}, ${plural(errors, "error")}` : plural(spans, "span"),
            run: () => void navigate({ to: "/", search: { [by]: key } }),
          },
    );
  });
}

function useRunCommands(words: string) {
  const navigate = useNavigate();
  const latest = useQuery(topRunsQuery({ filter: {} }, RECENT));
  const searched = useQuery({ ...topRunsQuery({ filter: { q: words } }, RECENT), enabled: words.length > 1 });
  const open = (run: Run, group: string): Command => ({
    id: `run ${run.run_id}`,
    group,
    title: titleOf(run),
    words: ["run", run.trace_name, run.agent, run.service, ...run.models].filter(Boolean).join(" "),
    note: runNote(run),
    run: () => void navigate({ to: "/runs/$runId", params: { runId: run.run_id } }),
  });
  return {
    latest: (latest.data?.items ?? []).map((run) => open(run, "Latest runs")),
    found: words.length > 1 ? (searched.data?.items ?? []).map((run) => open(run, "Runs with these words")) : [],
    searching: searched.isLoading,
  };
}

/** Runs of a program all have its name: their input distinguishes them. */
function titleOf(run: Run): string {
  const about = run.question ?? (run.trace_name === run.name ? null : run.trace_name);
  return about === null ? runName(run) : `${runName(run)}: ${about}`;
}

function runNote(run: Run): string {
  const parts = [ago(unixMs(run.start_time_unix_nano), Date.now()), plural(run.spans, "span")];
  if (run.errors) parts.unshift(plural(run.errors, "error"));
  if (run.cost_usd !== null) parts.push(dollars(run.cost_usd));
  return parts.join(" · ");
}

function useSearchCommands(words: string): Command[] {
  const navigate = useNavigate();
  if (!words) return [];
  return [
    {
      id: "search runs",
      group: "Search",
      title: `Search runs for “${words}”`,
      run: () => void navigate({ to: "/", search: { q: words } }),
    },
    {
      id: "search spans",
      group: "Search",
      title: `Search spans for “${words}”`,
      run: () => void navigate({ to: "/spans", search: { q: words } }),
    },
  ];
}

function useIdCommands(words: string): { commands: Command[]; searching: boolean } {
  const navigate = useNavigate();
  const router = useRouter();
  const found = pasted(words);
  const wanted = found?.what === "span" ? found : null;
  const span = useQuery({
    ...spanByIdQuery(wanted?.spanId ?? "", wanted?.traceId ?? null),
    enabled: wanted !== null,
    retry: false,
  });
  const open = (traceId: string, search: { span?: string }) =>
    void navigate({ to: "/traces/$traceId", params: { traceId }, search });
  return {
    commands: found ? idCommands(found, span, open, (path) => router.history.push(path)) : [],
    searching: wanted !== null && span.isLoading,
  };
}

function idCommands(
  found: Pasted,
  span: { data?: SpanEvent | undefined; error: Error | null },
  open: (traceId: string, search: { span?: string }) => void,
  visit: (path: string) => void,
): Command[] {
  const group = "Open";
  if (found.what === "page") {
    return [
      { id: "address", group, title: "The page with this address", note: found.path, run: () => visit(found.path) },
    ];
  }
  if (found.what === "trace") {
    const { traceId } = found;
    return [{ id: "trace", group, title: "The run with this id", note: traceId, run: () => open(traceId, {}) }];
  }
  if (span.data) {
    const { name, trace_id, span_id } = span.data;
    return [{ id: "span", group, title: name, note: span_id, run: () => open(trace_id, { span: span_id }) }];
  }
  if (!span.error) return [];
  const title = isNotFound(span.error) ? "No span has this id" : span.error.message;
  return [{ id: "span", group, title, note: found.spanId, run: () => {} }];
}

/** A value once it has been unchanged for some time. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
