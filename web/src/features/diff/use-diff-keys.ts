import { keyOf } from "@/lib/shortcuts";
import { useCommands } from "@/ui/commands";
import { copyByKey } from "@/ui/copy-note";
import { useKeys } from "@/ui/use-keys";

interface Acts {
  onStep: (by: 1 | -1) => void;
  /** Show or hide equal calls. */
  onAll: () => void;
}

/** The keys and palette commands on the page of a comparison. */
export function useDiffKeys({ onStep, onAll }: Acts): void {
  const copyLink = () => void copyByKey(location.href, "the link");
  useKeys({
    nextDifference: () => onStep(1),
    previousDifference: () => onStep(-1),
    showEqual: onAll,
    copyComparison: copyLink,
  });
  useCommands([
    { id: "next-difference", title: "Go to the next difference", keys: keyOf("nextDifference"), run: () => onStep(1) },
    {
      id: "previous-difference",
      title: "Go to the previous difference",
      keys: keyOf("previousDifference"),
      run: () => onStep(-1),
    },
    { id: "show-equal", title: "Show or hide equal calls", keys: keyOf("showEqual"), run: onAll },
    { id: "copy-link", title: "Copy a link to this view", keys: keyOf("copyComparison"), run: copyLink },
  ]);
}
