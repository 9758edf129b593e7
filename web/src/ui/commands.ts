import { useEffect, useRef } from "react";

/** A command of the command palette. */
export interface Command {
  /** Unique among the current commands. */
  id: string;
  title: string;
  /** The heading above it; `This page` by default. */
  group?: string;
  /** More search words. */
  words?: string;
  /** A muted note after the title. */
  note?: string;
  /** The label of its shortcut. */
  keys?: string;
  run: () => void;
}

const sources = new Set<{ readonly current: readonly Command[] }>();

/** Offer commands in the palette while a component is mounted; the list can change with each render. */
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

/** The commands of the current page. */
export function offeredCommands(): Command[] {
  return [...sources].flatMap((source) => source.current);
}
