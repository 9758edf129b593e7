import { Link } from "@tanstack/react-router";
import { type ReactNode, use, useEffect, useMemo, useRef } from "react";
import { plural } from "@/lib/format";
import { type Message, toolNames } from "@/lib/messages";
import { type ArgumentValue, argumentValues, patternOf, sourceOf, type ValueSource } from "@/lib/value-sources";
import { Disclosure } from "@/ui/disclosure";
import { Here } from "@/ui/here";
import { Marked } from "@/ui/marked";
import { MessageView } from "@/ui/message";
import { Recorded } from "@/ui/recorded";
import { rangesOf } from "@/ui/text-ranges";
import css from "./argument-sources.module.css";
import { Section } from "./section";

interface Props {
  traceId: string;
  /** The arguments of a tool call. */
  args: unknown;
  /** What the model saw before it made the call. */
  messages: readonly Message[];
}

/** Where each value of the arguments came from: the newest message that has it, or that none has. */
export function ArgumentSources({ traceId, args, messages }: Props) {
  const isHere = use(Here)?.(traceId) ?? false;
  const names = useMemo(() => toolNames(messages), [messages]);
  const found = useMemo(
    () => argumentValues(args).map((value) => ({ value, source: sourceOf(value, messages) })),
    [args, messages],
  );
  if (found.length === 0 || messages.length === 0) return null;
  return (
    <Section
      title="Where the values came from"
      aside={`of the ${plural(messages.length, "message")} that the model saw`}
    >
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
      <span className={css.line}>
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
