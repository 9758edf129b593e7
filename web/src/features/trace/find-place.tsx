import type { HitPlace } from "@/api/client";
import { visibleLine } from "@/lib/visible";
import { Marked } from "@/ui/marked";
import css from "./find-place.module.css";

/** Where in the selected span the searched words stand, or what of them was not understood. */
export function FindPlace({ place, notice }: { place: HitPlace | null; notice: string | undefined }) {
  if (place === null && !notice) return null;
  return (
    <p className={css.place} role="note">
      {place && (
        <>
          <span className={css.where}>{visibleLine(`${place.within}${joined(place)}`)}</span>
          <span className={css.text}>
            <Marked text={place.text} marks={place.marks} />
          </span>
        </>
      )}
      {notice && <span className={css.where}>{visibleLine(notice)}</span>}
    </p>
  );
}

function joined({ within, path }: HitPlace): string {
  return within === "attributes" ? `: ${path}` : path;
}
