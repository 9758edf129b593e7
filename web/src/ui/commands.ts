import { useEffect, useRef } from "react";

/** Something the command palette can do. */
export interface Command {
  /** Unique among the commands of the moment. */
  id: string;
  title: string;
  /** The heading it stands below; `This page` when it is left out. */
  group?: string;
  /** More words it is found by. */
  words?: string;
  /** What stands dimly behind the title. */
  note?: string;
  /** The shortcut that does the same, as it is shown. */
  keys?: string;
  run: () => void;
}

const sources = new Set<{ readonly current: readonly Command[] }>();

/** Offer commands in the palette for as long as a component is mounted; the list may be another one each time. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  useEffect(() => {
    sources.add(latest);
    return () => {
      sources.delete(latest);
    };
  }, []);
}

/** What the page of the moment offers. */
export function offeredCommands(): Command[] {
  return [...sources].flatMap((source) => source.current);
}
