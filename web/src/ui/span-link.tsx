import { Link } from "@tanstack/react-router";
import { type ReactNode, use } from "react";
import { Here } from "@/ui/here";

interface Props {
  traceId: string;
  spanId: string;
  className?: string | undefined;
  title?: string | undefined;
  label?: string | undefined;
  onClick?: (() => void) | undefined;
  children: ReactNode;
}

/** Selects another span; opens its trace if that is another one. */
export function SpanLink({ traceId, spanId, className, title, label, onClick, children }: Props) {
  const isHere = use(Here)?.(traceId) ?? false;
  const looks = { className, title, "aria-label": label, onClick, children };
  if (isHere) return <Link to="." search={(before) => ({ ...before, span: spanId })} {...looks} />;
  return <Link to="/traces/$traceId" params={{ traceId }} search={{ span: spanId }} {...looks} />;
}
