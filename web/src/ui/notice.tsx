import clsx from "clsx";
import type { ReactNode } from "react";
import css from "./notice.module.css";

/** Shown in place of an empty list or page. */
export function Empty({ title, children, icon }: { title: string; children?: ReactNode; icon?: ReactNode }) {
  return (
    <div className={css.empty}>
      {icon}
      <h2 className={css.title}>{title}</h2>
      {children && <div className={css.text}>{children}</div>}
    </div>
  );
}

/** An error message with a way to retry. */
export function Failure({ error, retry }: { error: Error; retry: () => void }) {
  return (
    <div className={clsx(css.empty, css.failure)} role="alert">
      <h2 className={css.title}>This could not be shown</h2>
      <p className={css.text}>{error.message}</p>
      <button type="button" className={css.retry} onClick={retry}>
        Try again
      </button>
    </div>
  );
}

/** Grey rows while the first data is loading. */
export function Skeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div className={css.skeleton} aria-busy="true" role="status">
      <span className="visually-hidden">Loading</span>
      {[...Array(rows).keys()].map((row) => (
        <div key={row} className={css.bar} style={{ width: `${90 - ((row * 37) % 45)}%` }} />
      ))}
    </div>
  );
}
