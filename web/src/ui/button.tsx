import clsx from "clsx";
import { Check, Copy } from "lucide-react";
import { type ButtonHTMLAttributes, type ReactNode, type Ref, useEffect, useState } from "react";
import css from "./button.module.css";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `plain` has no border until it is pointed at. */
  look?: "plain" | "framed" | "accent";
  pressed?: boolean;
  ref?: Ref<HTMLButtonElement>;
  children?: ReactNode;
}

export function Button({ look = "framed", pressed, className, type = "button", ...rest }: Props) {
  return <button type={type} aria-pressed={pressed} className={clsx(css.button, css[look], className)} {...rest} />;
}

/** Copies a text, and says so for a moment. `text` may be a function for what is costly to make. */
export function CopyButton({
  text,
  label,
  children,
}: {
  text: string | (() => string);
  label: string;
  children?: ReactNode;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 1500);
    return () => window.clearTimeout(timer);
  }, [copied]);
  async function copy() {
    await navigator.clipboard.writeText(typeof text === "string" ? text : text());
    setCopied(true);
  }
  return (
    <Button look="plain" onClick={copy} title={label} aria-label={children ? undefined : label}>
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      {children}
      <span className="visually-hidden" role="status">
        {copied ? "copied" : ""}
      </span>
    </Button>
  );
}
