import { ChevronDown, ChevronUp } from "lucide-react";
import { type Action, keyOf } from "@/lib/shortcuts";
import { Button } from "./button";

interface Props {
  /** What they lead to, as in "Next match". */
  noun: string;
  /** The shortcuts of the two. */
  actions: readonly [previous: Action, next: Action];
  disabled?: boolean;
  onStep: (by: 1 | -1) => void;
}

/** Two buttons that go from one thing to the next. */
export function StepButtons({ noun, actions: [previous, next], disabled = false, onStep }: Props) {
  const steps = [
    { words: `Previous ${noun}`, key: keyOf(previous), by: -1, Icon: ChevronUp },
    { words: `Next ${noun}`, key: keyOf(next), by: 1, Icon: ChevronDown },
  ] as const;
  return steps.map(({ words, key, by, Icon }) => (
    <Button
      key={by}
      look="plain"
      disabled={disabled}
      onClick={() => onStep(by)}
      aria-label={words}
      title={`${words} (${key})`}
    >
      <Icon size={14} aria-hidden />
    </Button>
  ));
}
