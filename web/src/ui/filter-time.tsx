import { CalendarClock, ChevronDown, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { RANGES, type Range, rangeLabel } from "@/lib/conditions";
import { isMoment } from "@/lib/moments";
import { Button } from "./button";
import css from "./filter-bar.module.css";
import { Popover } from "./popover";

interface Props extends Range {
  onChange: (range: Range) => void;
}

const ALL = { since: undefined, label: "All time" };

/** The time range of a list: a preset, a typed one, or one selected in a chart. */
export function FilterTime({ since, until, onChange }: Props) {
  const label = rangeLabel({ since, until });
  const bounded = since !== undefined || until !== undefined;
  return (
    <span className={css.chip}>
      <Popover
        label={`Time: ${label}`}
        className={css.edit}
        panel={(close) => {
          function done(range: Range) {
            onChange(range);
            close();
          }
          return (
            <>
              <ul className={css.menu}>
                {[...RANGES, ALL].map((range) => {
                  const ends = { since: range.since, until: "until" in range ? range.until : undefined };
                  return (
                    <li key={range.label}>
                      <button
                        type="button"
                        className={css.item}
                        aria-pressed={until === ends.until && since === ends.since}
                        onClick={() => done(ends)}
                      >
                        {range.label}
                      </button>
                    </li>
                  );
                })}
              </ul>
              <Between since={since} until={until} onDone={done} />
            </>
          );
        }}
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

const FORMS = "such as yesterday, 2 days ago, monday 9:30, 14:30, 2026-11-22 or 2026-11-22T10:30";

/** The two ends of a range, as typed; each is optional. */
function Between({ since, until, onDone }: Range & { onDone: (range: Range) => void }) {
  const [from, setFrom] = useState(since ?? "");
  const [to, setTo] = useState(until ?? "");
  const [wrong, setWrong] = useState<string | null>(null);

  function submit(event: FormEvent) {
    event.preventDefault();
    const unread = [from, to].find((text) => text.trim() !== "" && !isMoment(text));
    if (unread !== undefined) setWrong(unread);
    else onDone({ since: from.trim() || undefined, until: to.trim() || undefined });
  }
  return (
    <form className={css.form} onSubmit={submit}>
      <label className={css.row}>
        From
        <input value={from} spellCheck={false} maxLength={60} onChange={(event) => setFrom(event.target.value)} />
      </label>
      <label className={css.row}>
        To
        <input value={to} spellCheck={false} maxLength={60} onChange={(event) => setTo(event.target.value)} />
      </label>
      <p className={css.hint} role={wrong === null ? undefined : "alert"}>
        {wrong === null ? FORMS : `“${wrong.slice(0, 40)}” is not a time; write it ${FORMS}`}
      </p>
      <Button type="submit" look="accent">
        Apply
      </Button>
    </form>
  );
}
