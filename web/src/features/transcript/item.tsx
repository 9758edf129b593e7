import clsx from "clsx";
import { memo } from "react";
import css from "./item.module.css";
import type { ItemProps } from "./item-props";
import { AgentItem, InputItem, OutcomeItem } from "./thread-items";
import { ToolItem } from "./tool-item";
import { TurnItem } from "./turn-item";

interface Props extends ItemProps {
  id: string;
  selected: boolean;
  /** The colours of the enclosing agents, its own last. */
  colors: readonly (string | null)[];
}

const DEEPEST = 8;
/** The indentation of a thread within the one around it. */
const INDENT = 1.5;

/** One item of the transcript at its place among the threads. */
export const Item = memo(function Item({ id, selected, colors, ...props }: Props) {
  const { entry } = props;
  const depth = Math.min(DEEPEST, entry.depth);
  return (
    <article
      id={id}
      aria-current={selected || undefined}
      className={clsx(css.item, css[entry.kind], selected && css.selected, entry.parallel && css.together)}
      style={{ marginLeft: `${depth * INDENT}rem` }}
    >
      {colors.map((color, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is nothing but its place
          key={at}
          className={clsx(css.thread, at === colors.length - 1 && css.own)}
          style={{ background: color ?? "transparent", left: `${(at - colors.length + 1) * INDENT + 0.25}rem` }}
          aria-hidden
        />
      ))}
      {entry.depth > DEEPEST && <span className={css.depth}>{`level ${entry.depth + 1}`}</span>}
      <Content {...props} />
    </article>
  );
});

function Content(props: ItemProps) {
  const { entry, ...rest } = props;
  switch (entry.kind) {
    case "input":
      return <InputItem entry={entry} {...rest} />;
    case "agent":
      return <AgentItem entry={entry} {...rest} />;
    case "turn":
      return <TurnItem entry={entry} {...rest} />;
    case "tool":
      return <ToolItem entry={entry} {...rest} />;
    case "outcome":
      return <OutcomeItem entry={entry} {...rest} />;
  }
}
