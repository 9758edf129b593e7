import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { isNotFound } from "@/api/client";
import { type Diff, diffQuery } from "@/api/diff";
import type { ChangeAddress } from "@/lib/address";
import { Empty, Failure, Skeleton } from "@/ui/notice";
import { PageTitle } from "@/ui/page-title";
import { CallsDetail } from "./calls-detail";
import { DiffHeader } from "./diff-header";
import { DiffList } from "./diff-list";
import css from "./diff-page.module.css";
import { differing, initialStep, stepped } from "./rows";
import { type DiffSearch, lastingName } from "./url";
import { useDiffKeys } from "./use-diff-keys";

interface Props {
  search: DiffSearch;
  change: ChangeAddress<DiffSearch>;
}

/** Two runs side by side: where they diverge and why, their calls, and the texts of the selected call. */
export function DiffPage({ search, change }: Props) {
  const { data, error, refetch } = useQuery(diffQuery(search.a, search.b));
  const a = data && lastingName(search.a, data.a);
  const b = data && lastingName(search.b, data.b);
  useEffect(() => {
    if (a && b && (search.a !== a || search.b !== b))
      void change(({ a: _a, b: _b, ...before }) => ({ a, b, ...before }), true);
  }, [a, b, search.a, search.b, change]);

  if (data) return <Compared diff={data} {...{ search, change }} />;
  return (
    <>
      <PageTitle title="Two runs, compared" />
      {error ? <NotCompared error={error} retry={() => void refetch()} /> : <Skeleton rows={16} />}
    </>
  );
}

function NotCompared({ error, retry }: { error: Error; retry: () => void }) {
  if (!isNotFound(error, true)) return <Failure error={error} retry={retry} />;
  return (
    <Empty title="These runs cannot be compared">
      <p>{error.message}</p>
      <Link to="/">Go to the runs</Link>
    </Empty>
  );
}

function Compared({ diff, search, change }: Props & { diff: Diff }) {
  const at = search.at !== undefined && search.at < diff.steps.length ? search.at : initialStep(diff);
  const places = differing(diff.steps);
  const all = search.all === "1" || diff.equal;
  const select = (place: number) => void change((before) => ({ ...before, at: place }), true);

  function step(by: 1 | -1) {
    const next = stepped(places, at ?? -1, by);
    if (next !== null) select(next);
  }
  function showAll() {
    void change(({ all: _, ...before }) => (search.all === "1" ? before : { ...before, all: "1" }), true);
  }
  useDiffKeys({ onStep: step, onAll: showAll });

  const looked = at === null ? undefined : diff.steps[at];
  return (
    <div className={css.page}>
      <DiffHeader {...{ diff, places, at, all: search.all === "1", onSelect: select, onStep: step, onAll: showAll }} />
      <div className={css.panels}>
        <DiffList
          steps={diff.steps}
          at={at}
          all={all}
          onSelect={select}
          onExpand={(place) => void change((before) => ({ ...before, all: "1", at: place }), true)}
        />
        {looked && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keys
          <section className={css.detail} aria-label="Selected call" tabIndex={0}>
            <CallsDetail key={at} step={looked} />
          </section>
        )}
      </div>
    </div>
  );
}
