import { Check, ChevronDown, Copy, X } from "lucide-react";
import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { BASE, isServed } from "@/api/client";
import { copyText } from "@/lib/clipboard";
import type { FullSpan } from "@/lib/full-span";
import { INFERRED } from "@/lib/inferred";
import { jsonText, plainText } from "@/lib/json";
import { keyOf } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { moveInMenu } from "@/ui/menu-keys";
import { useKeys } from "@/ui/use-keys";
import { asCurl, asMarkdown, asPython } from "./copy-as";
import { type Copied, pythonCall } from "./copy-call";
import { conversationMarkdown, mcpRequest, messagesJson } from "./copy-conversation";
import css from "./copy-menu.module.css";
import { curlRequest } from "./copy-request";

interface Form {
  label: string;
  note: string;
  /** The only kind of span that has this form. */
  only?: FullSpan["kind"];
  /** Some spans cannot have this form: the menu makes the text when it opens, to say why. */
  mayLack?: true;
  /** Whether it needs a recorded span: an inferred one does not have it. */
  recorded?: true;
  /** Whether it needs a server, which a file does not have. */
  served?: true;
  text: (span: FullSpan, raw: object) => Copied | string;
}

const isWhole = ({ clipped }: FullSpan) => clipped.input === undefined && clipped.output === undefined;

const NOT_LOADED: Copied = { why: "load its long values first" };
const NO_OBJECT: Copied = { why: "its arguments are not recorded as an object" };

const NOTHING: Copied = { why: "nothing was recorded" };

const FORMS: readonly Form[] = [
  { label: "Input", note: "as recorded", mayLack: true, text: (span) => recordedText(span, "input") },
  { label: "Output", note: "as recorded", mayLack: true, text: (span) => recordedText(span, "output") },
  {
    label: "Markdown",
    note: "for a coding agent",
    text: (span) => asMarkdown(span, window.location.href),
  },
  {
    label: "Conversation",
    note: "Markdown, every message",
    only: "llm",
    mayLack: true,
    text: (span) => (isWhole(span) ? conversationMarkdown(span) : NOT_LOADED),
  },
  {
    label: "Messages",
    note: "JSON for a chat client",
    only: "llm",
    mayLack: true,
    text: (span) => (isWhole(span) ? messagesJson(span) : NOT_LOADED),
  },
  {
    label: "Model request",
    note: "curl that sends it again",
    only: "llm",
    mayLack: true,
    text: curlRequest,
  },
  { label: "Tool call", note: "Python that makes it again", only: "tool", mayLack: true, text: pythonCall },
  {
    label: "MCP request",
    note: "JSON-RPC, tools/call",
    only: "tool",
    mayLack: true,
    text: (span) => (span.clipped.input === undefined && mcpRequest(span)) || NO_OBJECT,
  },
  { label: "JSON", note: "all that is loaded", recorded: true, text: (_, raw) => jsonText(raw) },
  { label: "curl", note: "fetches it from the API", recorded: true, served: true, text: (span) => asCurl(BASE, span) },
  {
    label: "Python",
    note: "fetches it from the API",
    recorded: true,
    served: true,
    text: (span) => asPython(BASE, span),
  },
  { label: "Link", note: "to this page", served: true, text: () => window.location.href },
];

function recordedText(span: FullSpan, side: "input" | "output"): Copied | string {
  if (span.clipped[side] !== undefined) return NOT_LOADED;
  const value = span[side];
  if (value === null || value === undefined) return NOTHING;
  return plainText(value);
}

function copiedOf(form: Form, span: FullSpan, raw: object): Copied {
  const made = form.text(span, raw);
  return typeof made === "string" ? { text: made } : made;
}

function isOffered({ only, served }: Form, { kind }: FullSpan): boolean {
  return (only === undefined || only === kind) && (!served || isServed());
}

/** Why a span does not have this form; null if it does. */
function whyNot(form: Form, span: FullSpan, raw: object): string | null {
  if (form.recorded && span.trace_id === INFERRED) return "inferred from messages, not recorded";
  const made = form.mayLack ? copiedOf(form, span, raw) : null;
  return made && "why" in made ? made.why : null;
}

/** In place of a label: the browser gave no access to the clipboard. */
const NOT = "";

interface Props {
  /** Null until it is loaded: then the menu does not open, but has its place. */
  span: FullSpan | null;
  raw: object | null;
}

/** Copies the span to the clipboard in the chosen form. */
export function CopyMenu({ span, raw }: Props) {
  const [open, setOpen] = useState(false);
  const [copied, setCopied] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = window.setTimeout(() => setCopied(null), 1500);
    return () => window.clearTimeout(timer);
  }, [copied]);

  async function copy(form: Form) {
    const made = span && raw && copiedOf(form, span, raw);
    if (!made || "why" in made) return;
    setCopied((await copyText(made.text)) ? form.label : NOT);
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (!open) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      setOpen(false);
      box.current?.querySelector("button")?.focus();
    }
    moveInMenu(event);
  }

  function openByKey() {
    if (!span || !raw) return false;
    flushSync(() => setOpen(true));
    box.current?.querySelector<HTMLElement>("li button:enabled")?.focus();
    return true;
  }
  useKeys({ copySpan: openByKey, copyListedSpan: openByKey });

  function onBlur(event: FocusEvent) {
    if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens for events of the buttons inside
    <div ref={box} className={css.menu} onKeyDown={onKeyDown} onBlur={onBlur}>
      <Button
        onClick={() => setOpen(!open)}
        aria-expanded={open}
        aria-keyshortcuts={keyOf("copySpan")}
        title={`Copy the span as … (${keyOf("copySpan")})`}
        disabled={!span || !raw}
      >
        {copied === null ? (
          <Copy size={14} aria-hidden />
        ) : copied === NOT ? (
          <X size={14} aria-hidden />
        ) : (
          <Check size={14} aria-hidden />
        )}
        {copied === null ? "Copy as" : copied === NOT ? "Not copied" : "Copied"}
        <ChevronDown size={12} aria-hidden />
      </Button>
      <span className="visually-hidden" role="status">
        {copied !== null && (copied === NOT ? "not copied" : `copied as ${copied}`)}
      </span>
      {open && span && raw && (
        <ul className={css.list}>
          {FORMS.filter((form) => isOffered(form, span)).map((form) => {
            const why = whyNot(form, span, raw);
            return (
              <li key={form.label}>
                <button type="button" className={css.form} disabled={why !== null} onClick={() => void copy(form)}>
                  {form.label}
                  <span className={css.note}>{why ?? form.note}</span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
