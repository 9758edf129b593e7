import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface Props {
  traceId: string;
  spanId: string;
  className?: string | undefined;
  title?: string | undefined;
  label?: string | undefined;
  children: ReactNode;
}

/** Selects another span; of another trace it opens that trace. */
export function SpanLink({ traceId, spanId, className, title, label, children }: Props) {
  const isHere = useParams({ strict: false }).traceId === traceId;
  return (
    <Link
      to="/traces/$traceId"
      params={{ traceId }}
      search={(before) => (isHere ? { ...before, span: spanId } : { span: spanId })}
      className={className}
      title={title}
      aria-label={label}
    >
      {children}
    </Link>
  );
}
