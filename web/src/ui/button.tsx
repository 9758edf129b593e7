import clsx from "clsx";
import { Check, Copy, X } from "lucide-react";
import { type ButtonHTMLAttributes, type ReactNode, type Ref, useEffect, useState } from "react";
import { copyText } from "@/lib/clipboard";
import css from "./button.module.css";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `plain` has a border only under the pointer. */
  look?: "plain" | "framed" | "accent";
  pressed?: boolean;
  ref?: Ref<HTMLButtonElement>;
  children?: ReactNode;
}

export function Button({ look = "framed", pressed, className, type = "button", ...rest }: Props) {
  return <button type={type} aria-pressed={pressed} className={clsx(css.button, css[look], className)} {...rest} />;
}

/** Copies a text, and briefly says so. `text` can be a function if it is expensive to make. */
export function CopyButton({
  text,
  label,
  children,
}: {
  text: string | (() => string);
  label: string;
  children?: ReactNode;
}) {
  const [outcome, setOutcome] = useState<"copied" | "not copied" | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = window.setTimeout(() => setOutcome(null), 1500);
    return () => window.clearTimeout(timer);
  }, [outcome]);
  async function copy() {
    setOutcome((await copyText(typeof text === "string" ? text : text())) ? "copied" : "not copied");
  }
  const Icon = outcome === null ? Copy : outcome === "copied" ? Check : X;
  return (
    <Button look="plain" onClick={copy} title={label} aria-label={label}>
      <Icon size={14} aria-hidden />
      {children}
      <span className="visually-hidden" role="status">
        {outcome}
      </span>
    </Button>
  );
}
