import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { visibleLine } from "@/lib/visible";
import { Marked } from "@/ui/marked";
import css from "./find-place.module.css";
import type { Find } from "./use-find";

/** Where the searched words are in the selected span, or which were not understood. */
export function FindPlace({ find: { place, unplaced, notice } }: { find: Find }) {
  if (place === null && !unplaced && !notice) return null;
  return (
    <p className={css.place} role="note">
      {place && (
        <>
          <span className={css.where}>{visibleLine(`${place.within}${joined(place)}`)}</span>
          <span className={clsx("cut", css.text)}>
            <Marked text={place.text} marks={place.marks} />
          </span>
        </>
      )}
      {unplaced && (
        <span className={css.where}>
          in an attribute's name, or spelled differently:{" "}
          <Link to="." search={(before) => ({ ...before, tab: "attributes" })} replace>
            show the attributes
          </Link>
        </span>
      )}
      {notice && <span className={css.where}>{visibleLine(notice)}</span>}
    </p>
  );
}

function joined({ within, path }: NonNullable<Find["place"]>): string {
  return within === "attributes" ? `: ${path}` : path;
}
