import { BookOpen, Bot, Cable, Circle, MessageSquareText, ScrollText, Workflow, Wrench } from "lucide-react";
import type { ComponentType } from "react";
import type { Kind } from "@/lib/filter";

const KIND: Record<Kind, { Icon: ComponentType<{ size?: number }>; label: string }> = {
  workflow: { Icon: Workflow, label: "workflow" },
  agent: { Icon: Bot, label: "agent" },
  llm: { Icon: MessageSquareText, label: "model call" },
  tool: { Icon: Wrench, label: "tool call" },
  rpc: { Icon: Cable, label: "JSON-RPC" },
  resource: { Icon: BookOpen, label: "resource" },
  prompt: { Icon: ScrollText, label: "prompt" },
  other: { Icon: Circle, label: "span" },
};

/** The name of a kind. */
export function kindLabel(kind: Kind): string {
  return KIND[kind].label;
}

/** The colour of a kind, for bars and lines. */
export function kindColor(kind: Kind): string {
  return `var(--kind-${kind})`;
}

/** The icon of a kind, with its name for screen readers. */
export function KindIcon({ kind, size = 14 }: { kind: Kind; size?: number }) {
  const { Icon, label } = KIND[kind];
  return (
    <span style={{ color: kindColor(kind), display: "inline-flex", flex: "none" }} title={label}>
      <Icon size={size} aria-hidden />
      <span className="visually-hidden">{label}</span>
    </span>
  );
}
