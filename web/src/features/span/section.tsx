import { type ReactNode, useId } from "react";
import { CopyButton } from "@/ui/button";
import { Recorded } from "@/ui/recorded";
import css from "./section.module.css";

/** A section of the detail under a heading. */
export function Section({ title, aside, children }: { title: ReactNode; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={css.section}>
      <div className={css.head}>
        <h3 id={id} className={css.title}>
          {title}
        </h3>
        {aside && <div className={css.aside}>{aside}</div>}
      </div>
      {children}
    </section>
  );
}

/** Facts in two columns: name and value. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={css.facts}>{children}</dl>;
}

/** One fact; nothing if there is no value. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  if (children === null || children === undefined || children === false || children === "") return null;
  return (
    <div className={css.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface TextFactProps {
  label: string;
  text: string | null;
  /** For an id or an address: a fixed-width font, and a copy button. */
  mono?: boolean;
}

/** A fact that is recorded text. */
export function TextFact({ label, text, mono = false }: TextFactProps) {
  if (text === null || text === "") return null;
  return (
    <Fact label={label}>
      <span className={css.copied}>
        <Recorded text={text} className={mono ? css.mono : css.text} />
        {mono && <CopyButton text={text} label={`Copy ${label}`} />}
      </span>
    </Fact>
  );
}

/** A short fact to read at a glance. */
export function Chip({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className={css.chip}>
      <span className={css.chipLabel}>{label}</span>
      {children}
    </span>
  );
}

export function Chips({ children }: { children: ReactNode }) {
  return <div className={css.chips}>{children}</div>;
}

/** Shown if nothing was recorded. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className={css.nothing}>{children}</p>;
}
