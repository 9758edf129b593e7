import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { type ReactNode, use, useEffect, useMemo, useRef, useState } from "react";
import { bytes, plural } from "@/lib/format";
import type { FullSpan } from "@/lib/full-span";
import { type Message, toolNames } from "@/lib/messages";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { Here } from "@/ui/here";
import { Marked } from "@/ui/marked";
import { MessageView } from "@/ui/message";
import { Recorded } from "@/ui/recorded";
import { rangesOf } from "@/ui/text-ranges";
import css from "./argument-sources.module.css";
import { Section } from "./section";
import { useOtherSpan } from "./use-span";
import { type ArgumentValue, argumentValues, patternOf, sourceOf, type ValueSource } from "./value-sources";

interface Props {
  traceId: string;
  /** The arguments of a tool call. */
  args: unknown;
  /** The model call before it. */
  call: FullSpan;
}

const TITLE = "Where the values came from";

/** Where each value of the arguments came from: the newest message that has it, or that none has. */
export function ArgumentSources({ traceId, args, call }: Props) {
  const isHere = use(Here)?.(traceId) ?? false;
  const [wanted, setWanted] = useState(false);
  const { span: whole, failed } = useOtherSpan(call.trace_id, wanted ? call.span_id : null, true);
  const { messages, clipped } = whole ?? call;
  const names = useMemo(() => toolNames(messages.input), [messages]);
  const found = useMemo(
    () => argumentValues(args).map((value) => ({ value, source: sourceOf(value, messages.input) })),
    [args, messages],
  );
  if (found.length === 0) return null;
  if (clipped.input !== undefined) {
    return (
      <Section title={TITLE}>
        <Button disabled={wanted && !failed} onClick={() => setWanted(true)}>
          {wanted && !failed ? "Loading" : "Load"} the {bytes(clipped.input)} of messages that the model saw
        </Button>
      </Section>
    );
  }
  if (messages.input.length === 0) return null;
  return (
    <Section title={TITLE} aside={`in the ${plural(messages.input.length, "message")} that the model saw`}>
      <ul className={css.values}>
        {found.map(({ value, source }) => (
          <li key={value.path}>
            {source ? (
              <Disclosure summary={<Found value={value} source={source} names={names} />}>
                {() => (
                  <MarkedValue value={value}>
                    <MessageView message={source.message} names={names} lines={60} />
                  </MarkedValue>
                )}
              </Disclosure>
            ) : (
              <p className={css.none}>
                <Recorded text={value.path} className={css.path} /> <Recorded text={value.text} className={css.value} />{" "}
                is in none of them
                {isHere && <FindLink text={value.text} />}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Searches the run for a value that came otherwise, such as with a result that the model's server remembers. */
function FindLink({ text }: { text: string }) {
  return (
    <>
      {": "}
      <Link to="." search={(before) => ({ ...before, view: textView(before), find: `"${text.replaceAll('"', " ")}"` })}>
        Find it in this run
      </Link>
    </>
  );
}

/** The graph shows no texts. */
function textView({ view }: { view?: unknown }) {
  return view === "transcript" ? view : undefined;
}

interface FoundProps {
  value: ArgumentValue;
  source: ValueSource;
  /** The names of tools by the ids of their calls. */
  names: ReadonlyMap<string, string>;
}

function Found({ value, source, names }: FoundProps) {
  const { message, place, line, marks } = source;
  return (
    <>
      <span className={css.where}>
        <Recorded text={value.path} className={css.path} /> <Recorded text={writerOf(message, names)} />, message{" "}
        {place}
      </span>
      <span className={clsx("cut", css.line)}>
        <Marked text={line} marks={marks} />
      </span>
    </>
  );
}

function writerOf({ role, parts }: Message, names: ReadonlyMap<string, string>): string {
  const answers = parts.flatMap((part) => (part.type === "tool_call_response" ? (names.get(part.id ?? "") ?? []) : []));
  return answers.length ? `answer of ${answers.join(", ")}` : `${role} message`;
}

const MARK = "value";

/** Marks a value wherever it shows, and brings the first place into view. */
function MarkedValue({ value, children }: { value: ArgumentValue; children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!root.current || !("highlights" in CSS)) return;
    const ranges = rangesOf(root.current, patternOf(value, "gu"));
    const marks = CSS.highlights.get(MARK) ?? new Highlight();
    CSS.highlights.set(MARK, marks);
    for (const range of ranges) marks.add(range);
    ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: "nearest" });
    return () => {
      for (const range of ranges) marks.delete(range);
    };
  }, [value]);
  return <div ref={root}>{children}</div>;
}
