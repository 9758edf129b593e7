import clsx from "clsx";
import { Bot, Brain, CircleDashed, CornerDownRight, Settings2, User, Wrench } from "lucide-react";
import { type ComponentType, type ReactNode, useMemo } from "react";
import { count } from "@/lib/format";
import { isContainer, parsedText } from "@/lib/json";
import { type Message, onlyText, type Part } from "@/lib/messages";
import { Disclosure } from "./disclosure";
import { JsonView } from "./json-view";
import css from "./message.module.css";
import { MediaPart } from "./message-media";
import { LongText } from "./message-text";
import { Recorded } from "./recorded";

const ROLES = new Map<string, { Icon: ComponentType<{ size?: number }>; look: string | undefined }>([
  ["system", { Icon: Settings2, look: css.system }],
  ["user", { Icon: User, look: css.user }],
  ["assistant", { Icon: Bot, look: css.assistant }],
  ["tool", { Icon: Wrench, look: css.tool }],
]);

interface Props {
  message: Message;
  /** Tool names by call id, from `toolNames`, to show which tool an answer belongs to. */
  names?: ReadonlyMap<string, string> | undefined;
  /** Lines of a long text to show at first. */
  lines?: number;
  /** Content at the end of the line with the role. */
  aside?: ReactNode;
  /** The change of the message, in a comparison of conversations. */
  mark?: "added" | "removed" | "rewritten" | undefined;
  /** Replaces the parts. */
  children?: ReactNode;
}

/** One message of a conversation: its role, and each part in the form for its type. */
export function MessageView({ message, names, lines = 20, aside, mark, children }: Props) {
  const { Icon, look } = ROLES.get(message.role) ?? { Icon: CircleDashed, look: undefined };
  return (
    <article className={clsx(css.message, look, mark && css[mark])}>
      <header className={css.head}>
        <span className={css.icon}>
          <Icon size={14} aria-hidden />
        </span>
        <Recorded text={message.role} className={css.role} />
        {mark && <span className={css.change}>{mark}</span>}
        {aside && <span className={css.aside}>{aside}</span>}
      </header>
      <div className={css.parts}>{children ?? <PartsView parts={message.parts} names={names} lines={lines} />}</div>
    </article>
  );
}

interface PartsProps {
  parts: readonly Part[];
  names?: Props["names"];
  lines?: number;
}

/** The parts of a message, or other content blocks. */
export function PartsView({ parts, names, lines = 20 }: PartsProps) {
  if (parts.length === 0) return <p className={css.nothing}>Empty message.</p>;
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and never change places
    <PartView key={at} part={part} names={names} lines={lines} />
  ));
}

function PartView({ part, names, lines }: { part: Part; names: Props["names"]; lines: number }) {
  switch (part.type) {
    case "text":
      return <TextPart text={part.content} lines={lines} />;
    case "reasoning":
      return <Reasoning text={part.content} />;
    case "tool_call":
      return (
        <Call label="calls" name={part.name} id={part.id}>
          {isEmpty(part.arguments) ? (
            <span className={css.nothing}>without arguments</span>
          ) : (
            <JsonView value={part.arguments} label={`arguments of ${part.name.slice(0, 60)}`} lines={20} />
          )}
        </Call>
      );
    case "tool_call_response":
      return (
        <Call
          label={part.is_error ? "failed answer of" : "answer of"}
          name={(part.id !== null && names?.get(part.id)) || null}
          id={part.id}
        >
          <Answer value={part.response} lines={lines} />
        </Call>
      );
    case "blob":
    case "uri":
    case "file":
      return <MediaPart media={part} />;
    case "json":
    case "structured":
      return <JsonView value={part.content} label="part" lines={20} />;
  }
}

/** A text; JSON, which tools often return, is shown as such. */
function TextPart({ text, lines }: { text: string; lines: number }) {
  const held = useMemo(() => parsedText(text, 200_000), [text]);
  return held === undefined ? (
    <LongText text={text} lines={lines} />
  ) : (
    <JsonView value={held} label="text" lines={lines} />
  );
}

function Call({
  label,
  name,
  id,
  children,
}: {
  label: string;
  name: string | null;
  id: string | null;
  children: ReactNode;
}) {
  return (
    <div className={css.call}>
      <div className={css.callHead}>
        <CornerDownRight size={12} aria-hidden />
        <span className={css.verb}>{label}</span>
        {name !== null && <Recorded text={name} className={css.callee} />}
        {id !== null && <Recorded text={id} className={css.id} />}
      </div>
      {children}
    </div>
  );
}

function Reasoning({ text }: { text: string }) {
  return (
    <Disclosure
      summary={
        <span className={css.reasoning}>
          <Brain size={13} aria-hidden /> reasoning, {count(text.length)} characters
        </span>
      }
    >
      <LongText text={text} className={css.thought} />
    </Disclosure>
  );
}

/** A tool's answer: JSON as a tree, text blocks as text. */
function Answer({ value, lines }: { value: unknown; lines: number }) {
  if (value === null || value === undefined || value === "")
    return <span className={css.nothing}>an empty answer</span>;
  const text = onlyText(value);
  const held = text === null ? value : (parsedText(text) ?? text);
  // Of several lines, it is more often a file or what a command printed than prose.
  if (typeof held === "string") return <LongText text={held} lines={lines} mono={held.includes("\n")} />;
  return <JsonView value={held} label="answer" lines={20} />;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (isContainer(value) && Object.keys(value).length === 0);
}
