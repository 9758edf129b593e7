import clsx from "clsx";
import { useMemo, useState } from "react";
import { plural } from "@/lib/format";
import { attribute, type FullSpan } from "@/lib/full-span";
import { preview } from "@/lib/json";
import { visibleLine } from "@/lib/visible";
import { TextDiff } from "@/ui/diff";
import { JsonView } from "@/ui/json-view";
import { Recorded } from "@/ui/recorded";
import type { JsonChange } from "./json-changes";
import css from "./middleware.module.css";
import { type MiddlewareStep, readController, readMiddleware, type Sides } from "./middleware-steps";
import { Nothing, Section } from "./section";
import { KEY, TRUNCATED_SUFFIX } from "./semconv";

/** What each middleware around a call did, in declared order; nothing if none was recorded. */
export function Middleware({ span, sides }: { span: FullSpan; sides: Sides }) {
  const recorded = attribute(span, KEY.middleware);
  const steps = useMemo(() => readMiddleware(recorded, sides), [recorded, sides]);
  const isClipped = Object.hasOwn(span.clipped, `attributes.${KEY.middleware}`);
  if (steps.length === 0 && !isClipped) return null;
  return (
    <Section
      title="Middleware"
      aside={attribute(span, KEY.middleware + TRUNCATED_SUFFIX) === true && "long values were shortened"}
    >
      {isClipped ? (
        <Nothing>It is long and not loaded yet.</Nothing>
      ) : (
        <ol className={css.steps}>
          {steps.map((step, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same middleware can be listed twice
            <li key={at} className={css.step}>
              <Step step={step} sides={sides} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

const SIDES = { args: "arguments", result: "result" };

/** What the program's controller did to a call; nothing if none was asked. */
export function Controller({ span }: { span: FullSpan }) {
  const recorded = attribute(span, KEY.controlled);
  const step = useMemo(() => readController(recorded, SIDES), [recorded]);
  if (step === null) return null;
  return (
    <Section title="Controller">
      <Step step={step} sides={SIDES} />
    </Section>
  );
}

function Step({ step, sides }: { step: MiddlewareStep; sides: Sides }) {
  return (
    <>
      <p className={css.line}>
        <Recorded text={step.name} className={css.name} />
        <span className={clsx(css.did, step.failed && css.failed, step.quiet && css.quiet)}>
          {visibleLine(step.did.join(", "))}
        </span>
      </p>
      {step.attempts.length > 0 && (
        <ol className={css.attempts} aria-label={`Attempts of ${step.name}`}>
          {step.attempts.map((attempt, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: attempts have no name, and two can fail alike
            <li key={at}>
              <Recorded text={attempt} />
            </li>
          ))}
        </ol>
      )}
      <Changes changes={step.args} of={sides.args} named={step.result.length > 0} />
      <Changes changes={step.result} of={sides.result} named={step.args.length > 0} />
      {step.answer !== undefined && <JsonView value={step.answer} label={`answer of ${step.name}`} lines={20} />}
    </>
  );
}

const FIRST = 20;

interface ChangesProps {
  changes: JsonChange[];
  /** The value that was changed. */
  of: string;
  /** Whether to name it, because another value changed as well. */
  named: boolean;
}

function Changes({ changes, of, named }: ChangesProps) {
  const [most, setMost] = useState(FIRST);
  if (changes.length === 0) return null;
  const left = changes.length - most;
  return (
    <>
      {named && <p className={css.of}>{of}</p>}
      <dl className={css.changes} aria-label={`Changes of the ${of}`}>
        {changes.slice(0, most).map((change, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list with a replaced item can have a path twice
          <div key={at} className={css.change}>
            <dt>
              <Recorded text={change.path} className={css.path} />
            </dt>
            <dd>
              <Change change={change} />
            </dd>
          </div>
        ))}
      </dl>
      {left > 0 && (
        <button type="button" className={css.more} onClick={() => setMost(most * 10)}>
          Show {plural(Math.min(left, most * 9), "more change")}
        </button>
      )}
    </>
  );
}

// Shorter texts are easier to read one after the other than as a word diff.
const SHORT = 40;

function Change({ change: { before, after } }: { change: JsonChange }) {
  if (typeof before === "string" && typeof after === "string" && Math.max(before.length, after.length) > SHORT) {
    return <TextDiff before={before} after={after} />;
  }
  return (
    <>
      {before !== undefined && <del className={css.removed}>{inFew(before)}</del>}
      {before !== undefined && after !== undefined && <span className={css.arrow}> → </span>}
      {after !== undefined && <ins className={css.added}>{inFew(after)}</ins>}
    </>
  );
}

function inFew(value: unknown): string {
  return visibleLine(preview(value, 400));
}
