import { CalendarClock, ChevronDown, X } from "lucide-react";
import { RANGES, type Range, rangeLabel } from "@/lib/conditions";
import css from "./filter-bar.module.css";
import { Popover } from "./popover";

interface Props extends Range {
  onChange: (range: Range) => void;
}

const ALL = { since: undefined, label: "All time" };

/** Which time a list shows: one of the usual ranges, or the one that was marked in a chart. */
export function FilterTime({ since, until, onChange }: Props) {
  const label = rangeLabel({ since, until });
  const bounded = since !== undefined || until !== undefined;
  return (
    <span className={css.chip}>
      <Popover
        label={`Time: ${label}`}
        className={css.edit}
        panel={(close) => (
          <ul className={css.menu}>
            {[...RANGES, ALL].map((range) => (
              <li key={range.label}>
                <button
                  type="button"
                  className={css.item}
                  aria-pressed={until === undefined && since === range.since}
                  onClick={() => {
                    onChange({ since: range.since, until: undefined });
                    close();
                  }}
                >
                  {range.label}
                </button>
              </li>
            ))}
          </ul>
        )}
      >
        <CalendarClock size={14} aria-hidden />
        <span className={css.value}>{label}</span>
        {!bounded && <ChevronDown size={12} aria-hidden />}
      </Popover>
      {bounded && (
        <button
          type="button"
          className={css.remove}
          aria-label={`Remove the time range ${label}`}
          onClick={() => onChange({ since: undefined, until: undefined })}
        >
          <X size={12} aria-hidden />
        </button>
      )}
    </span>
  );
}
