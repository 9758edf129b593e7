import { TriangleAlert, X } from "lucide-react";
import { type Losses, lossSentences, type Refusal, refusalSentences } from "@/lib/losses";
import { Button } from "./button";
import css from "./loss-strip.module.css";

interface Props {
  losses: Losses;
  /** Whose spans they are, as " of its processes". */
  of?: string;
  /** Spans that endpoints refused. */
  refused?: readonly Refusal[];
  onClose?: () => void;
}

/** Says what is missing from the data on the page. */
export function LossStrip({ losses, of, refused = [], onClose }: Props) {
  const sentences = [...lossSentences(losses, of), ...refusalSentences(refused)];
  if (sentences.length === 0) return null;
  return (
    <section className={css.strip} aria-label="What is missing">
      <TriangleAlert size={15} aria-hidden />
      <p>{sentences.join("; ")}.</p>
      {onClose && (
        <Button look="plain" onClick={onClose} aria-label="Hide until this changes" title="Hide until this changes">
          <X size={14} aria-hidden />
        </Button>
      )}
    </section>
  );
}
