import { Minus, Plus } from "lucide-react";
import { count } from "@/lib/format";
import { Button } from "@/ui/button";
import css from "./levels.module.css";

interface Props {
  /** How many levels are open, and how many there are; from 0. */
  depth: number;
  levels: number;
  onDepth: (depth: number) => void;
}

/** Opens and closes a tree level by level. */
export function Levels({ depth, levels, onDepth }: Props) {
  const open = Math.min(depth, levels);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div role="group" aria-label="Open levels" className={css.levels}>
      <Button
        look="plain"
        disabled={open <= 0}
        onClick={() => onDepth(open - 1)}
        aria-label="One level less"
        title="One level less"
      >
        <Minus size={14} aria-hidden />
      </Button>
      <span className={css.words}>
        {open >= levels ? "all levels" : `${count(open + 1)} of ${count(levels + 1)} levels`}
      </span>
      <Button
        look="plain"
        disabled={open >= levels}
        onClick={() => onDepth(open + 1)}
        aria-label="One level more"
        title="One level more"
      >
        <Plus size={14} aria-hidden />
      </Button>
    </div>
  );
}
