import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { type ReactNode, useId, useMemo } from "react";
import { type CallsDiff, callsDiffQuery, type DiffCall, type DiffPart, type DiffStep } from "@/api/diff";
import { plural } from "@/lib/format";
import { visible } from "@/lib/visible";
import { TextDiff } from "@/ui/diff";
import { KindIcon } from "@/ui/kind";
import { Failure, Skeleton } from "@/ui/notice";
import { Recorded } from "@/ui/recorded";
import css from "./calls-detail.module.css";
import { readable } from "./readable";

/** One call of both runs: the parts of its input that differ, and its answers, by word. */
export function CallsDetail({ step }: { step: DiffStep }) {
  const { data, error, refetch } = useQuery(callsDiffQuery(step.a, step.b));
  return (
    <div className={css.detail}>
      <div className={css.head}>
        <KindIcon kind={step.kind} />
        <h2 className={clsx("cut", css.name)}>
          <Recorded text={step.name} />
        </h2>
        <Open call={step.a}>Open in the first run</Open>
        <Open call={step.b}>Open in the second run</Open>
      </div>
      {data ? (
        <Texts diff={data} />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton rows={6} />
      )}
    </div>
  );
}

function Open({ call, children }: { call: DiffCall | null; children: ReactNode }) {
  if (call === null) return null;
  return (
    <Link
      to="/traces/$traceId"
      params={{ traceId: call.trace_id }}
      search={{ span: call.span_id }}
      className={css.open}
    >
      {children}
    </Link>
  );
}

function sameInput(equal: number, changed: number): string {
  if (changed === 0) return "The input is the same.";
  return `${plural(equal, "part")} of the input ${equal === 1 ? "is" : "are"} the same.`;
}

function Texts({ diff }: { diff: CallsDiff }) {
  const { a, b, changed, more, equal, answers } = diff;
  return (
    <>
      {changed.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one call have no other identity
        <Part key={at} part={part} />
      ))}
      {(more > 0 || equal > 0) && (
        <p className={css.note}>
          {more > 0 && `${plural(more, "more part")} of the input that differ. `}
          {equal > 0 && sameInput(equal, changed.length + more)}
        </p>
      )}
      {a === null || b === null ? (
        <Text title={`Answer, only in the ${a === null ? "second" : "first"} run`} text={answers.a ?? answers.b} />
      ) : answers.equal ? (
        <Text title="Answer, the same in both" text={answers.a} />
      ) : (
        <Changed title="Answer" a={answers.a} b={answers.b} />
      )}
    </>
  );
}

function Part({ part: { label, a = null, b = null } }: { part: DiffPart }) {
  return <Changed title={label} a={a} b={b} />;
}

function Changed({ title, a, b }: { title: string; a: string | null; b: string | null }) {
  const alone = a === null ? "second" : b === null ? "first" : null;
  const [before, after] = useMemo(() => [a, b].map((text) => (text === null ? "" : readable(text))), [a, b]);
  return (
    <Titled title={title} aside={alone && `only in the ${alone} run`}>
      <TextDiff before={before ?? ""} after={after ?? ""} />
    </Titled>
  );
}

function Text({ title, text }: { title: string; text: string | null }) {
  const shown = useMemo(() => readable(text ?? ""), [text]);
  return (
    <Titled title={title}>
      <div className={css.text} dir="auto">
        {visible(shown) || "nothing"}
      </div>
    </Titled>
  );
}

function Titled({ title, aside, children }: { title: string; aside?: string | null; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={css.part}>
      <h3 id={id} className={css.title}>
        <Recorded text={title} />
        {aside && <span className={css.aside}>{aside}</span>}
      </h3>
      {children}
    </section>
  );
}
