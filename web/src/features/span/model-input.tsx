import { type ReactNode, useMemo, useState } from "react";
import { calleeName } from "@/lib/calls";
import { plural } from "@/lib/format";
import type { FullSpan } from "@/lib/full-span";
import { type Change, countChanges, diffMessages, messageKey, wholeText } from "@/lib/message-diff";
import type { Message } from "@/lib/messages";
import { previousModelCall } from "@/lib/previous-call";
import type { SpanRow } from "@/lib/spans";
import { TextDiff } from "@/ui/diff";
import { Disclosure } from "@/ui/disclosure";
import { MessageView } from "@/ui/message";
import { Skeleton } from "@/ui/notice";
import { Recorded } from "@/ui/recorded";
import { SpanLink } from "@/ui/span-link";
import { Tabs } from "@/ui/tabs";
import css from "./model-input.module.css";
import { Nothing, Section } from "./section";
import { useOtherSpan } from "./use-span";

interface Props {
  span: FullSpan;
  rows: readonly SpanRow[];
  input: Message[];
  names: ReadonlyMap<string, string>;
}

/** The input of a model call: the messages since the agent's previous call, or all of them. */
export function ModelInput({ span, rows, input, names }: Props) {
  const previous = useMemo(() => previousModelCall(rows, span.span_id), [rows, span.span_id]);
  const [tab, setTab] = useState<"changes" | "all">("changes");
  const title = "Input";
  if (input.length === 0) {
    return (
      <Section title={title}>
        <Nothing>
          {span.clipped.input === undefined
            ? "The messages were not recorded."
            : "The messages are long and not loaded yet."}
        </Nothing>
      </Section>
    );
  }
  if (!previous) {
    return (
      <Section title={title} aside={rows.length > 0 && "the first call of this agent"}>
        <Messages messages={input} names={names} />
      </Section>
    );
  }
  const tabs = [
    { id: "changes", label: "Changes" },
    { id: "all", label: "All messages", count: input.length },
  ] as const;
  return (
    <Section title={title}>
      <Tabs label={title} look="small" tabs={tabs} selected={tab} onSelect={setTab}>
        {tab === "all" ? (
          <Messages messages={input} names={names} />
        ) : (
          <Changes previous={previous} input={input} names={names} />
        )}
      </Tabs>
    </Section>
  );
}

const FIRST = 3;
const LAST = 30;

/** A list that may be long: the first and the last items, and those in between on demand. */
function Ends<Item>({ items, first, noun, item }: EndsProps<Item>) {
  const [whole, setWhole] = useState(false);
  const hidden = whole ? 0 : items.length - first - LAST;
  if (hidden < LAST) return <div className={css.list}>{items.map(item)}</div>;
  return (
    <div className={css.list}>
      {items.slice(0, first).map(item)}
      <button type="button" className={css.fold} onClick={() => setWhole(true)}>
        Show {plural(hidden, noun)} in between
      </button>
      {items.slice(-LAST).map((each, at) => item(each, items.length - LAST + at))}
    </div>
  );
}

interface EndsProps<Item> {
  items: readonly Item[];
  /** How many show before the others. */
  first: number;
  noun: string;
  item: (item: Item, at: number) => ReactNode;
}

function Messages({ messages, names }: { messages: Message[]; names: ReadonlyMap<string, string> }) {
  return (
    <Ends
      items={messages}
      first={FIRST}
      noun="message"
      item={(message, at) => (
        <MessageView key={at} message={message} names={names} lines={message.role === "system" ? 6 : 20} />
      )}
    />
  );
}

interface ChangesProps {
  previous: SpanRow;
  input: Message[];
  names: ReadonlyMap<string, string>;
}

function Changes({ previous, input, names }: ChangesProps) {
  const { span: other, failed } = useOtherSpan(previous.traceId, previous.id);
  const before = other?.messages ?? null;
  const changes = useMemo(() => (before ? diffMessages(before.input, input) : null), [before, input]);
  const answers = useMemo(() => new Set(before?.output.map((answer) => messageKey(answer))), [before]);
  if (failed) return <Nothing>The call before could not be loaded. All messages are under the other tab.</Nothing>;
  if (!changes || !other) return <Skeleton rows={4} />;
  const isUnknown = other.clipped.input !== undefined || before?.input.length === 0;
  return (
    <>
      <p className={css.since}>
        <Summary changes={changes} />
        <span>since</span>
        <SpanLink traceId={previous.traceId} spanId={previous.id}>
          <Recorded text={calleeName(previous)} />
        </SpanLink>
      </p>
      {isUnknown ? (
        <Nothing>The previous call's input is unavailable, so there is nothing to compare.</Nothing>
      ) : (
        <ChangeList changes={changes} names={names} answers={answers} />
      )}
    </>
  );
}

/** The changes in the order of the messages; of a long list the first and the last ones. */
function ChangeList({ changes, ...rest }: { changes: Change[] } & Omit<ChangeProps, "change">) {
  return (
    <Ends
      items={changes}
      first={LAST}
      noun="change"
      item={(change, at) => <ChangeView key={at} change={change} {...rest} />}
    />
  );
}

function Summary({ changes }: { changes: Change[] }) {
  const { added, removed, rewritten } = countChanges(changes);
  if (added + removed + rewritten === 0) return <span>nothing changed</span>;
  return (
    <>
      {added > 0 && <span className={css.added}>+{added} added</span>}
      {removed > 0 && <span className={css.removed}>−{removed} removed</span>}
      {rewritten > 0 && <span className={css.rewritten}>±{rewritten} rewritten</span>}
    </>
  );
}

interface ChangeProps {
  change: Change;
  names: ReadonlyMap<string, string>;
  /** The texts that the previous call answered. */
  answers: ReadonlySet<string>;
}

function ChangeView({ change, names, answers }: ChangeProps) {
  switch (change.kind) {
    case "same":
      return (
        <Disclosure className={css.same} summary={`${plural(change.messages.length, "unchanged message")}`}>
          {() => <Messages messages={change.messages} names={names} />}
        </Disclosure>
      );
    case "added":
      return (
        <MessageView
          message={change.message}
          names={names}
          mark="added"
          aside={answers.has(messageKey(change.message)) && "its answer to the call before"}
        />
      );
    case "removed":
      return <MessageView message={change.message} names={names} mark="removed" lines={6} />;
    case "rewritten":
      return (
        <MessageView message={change.after} mark="rewritten">
          <TextDiff before={wholeText(change.before)} after={wholeText(change.after)} />
        </MessageView>
      );
  }
}
