import { clock, duration } from "@/lib/format";
import type { FullSpan, Happening } from "@/lib/full-span";
import { msBetween, unixMs } from "@/lib/time";
import { Empty } from "@/ui/notice";
import { Recorded } from "@/ui/recorded";
import { AttributeList } from "./attributes-tab";
import css from "./events-tab.module.css";
import { Few } from "./few";

const STEP = 200;

/** The span events of a span, in order of time. */
export function EventsTab({ span }: { span: FullSpan }) {
  if (span.events.length === 0) {
    return <Empty title="No span events">A call's progress, exceptions and notes appear here.</Empty>;
  }
  return (
    <div className={css.tab}>
      <h3 className="visually-hidden">Events</h3>
      <Few items={span.events} step={STEP}>
        {(shown) => (
          <ol>
            {shown.map((happening, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: events have no other identity, and are only ever appended
              <EventItem key={at} happening={happening} span={span} />
            ))}
          </ol>
        )}
      </Few>
    </div>
  );
}

function EventItem({ happening, span }: { happening: Happening; span: FullSpan }) {
  const { name, time, attributes } = happening;
  const offset = time === null ? null : msBetween(span.start_time_unix_nano, time);
  return (
    <li className={css.event}>
      <div className={css.head}>
        <Recorded text={name || "(no name)"} className={css.name} />
        <span className={css.time} title={time === null ? undefined : clock(unixMs(time), true)}>
          {offset === null
            ? "no time"
            : offset < 0
              ? `${duration(-offset)} before it began`
              : `after ${duration(offset)}`}
        </span>
      </div>
      <AttributeList attributes={attributes} />
    </li>
  );
}
