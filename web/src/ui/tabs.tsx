import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import css from "./tabs.module.css";

export interface Tab<T extends string> {
  id: T;
  label: ReactNode;
  /** The number of items in the tab. */
  count?: number;
}

interface Props<T extends string> {
  label: string;
  tabs: readonly Tab<T>[];
  selected: T;
  onSelect: (tab: T) => void;
  look?: "line" | "small";
  children: ReactNode;
}

/** Tabs; the arrow keys move from one to the next. */
export function Tabs<T extends string>({ label, tabs, selected, onSelect, look = "line", children }: Props<T>) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent) {
    const at = tabs.findIndex((tab) => tab.id === selected);
    const to = moved(event.key, at, tabs.length);
    const tab = to === null ? undefined : tabs[to];
    if (!tab || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    onSelect(tab.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[to ?? 0]?.focus();
  }

  return (
    <div>
      <div className={look === "line" ? css.bar : css.smallBar}>
        <div ref={list} role="tablist" aria-label={label} className={css.list} onKeyDown={onKeyDown}>
          {tabs.map((tab) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`${base}-${tab.id}`}
              aria-selected={tab.id === selected}
              aria-controls={tab.id === selected ? `${base}-panel` : undefined}
              tabIndex={tab.id === selected ? 0 : -1}
              className={look === "line" ? css.tab : css.smallTab}
              onClick={() => onSelect(tab.id)}
            >
              {tab.label}
              {tab.count !== undefined && <span className={css.count}>{tab.count}</span>}
            </button>
          ))}
        </div>
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${selected}`}>
        {children}
      </div>
    </div>
  );
}

function moved(key: string, at: number, count: number): number | null {
  switch (key) {
    case "ArrowRight":
      return (at + 1) % count;
    case "ArrowLeft":
      return (at - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
