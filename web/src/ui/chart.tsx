import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { type KeyboardEvent, memo, useRef } from "react";
import { topOf } from "@/lib/figures";
import type { Filter } from "@/lib/filter";
import css from "./chart.module.css";

/** A series of values over time. */
export interface Series {
  name: string;
  values: readonly (number | null)[];
  /** A colour token, such as `--accent`. */
  color: string;
  /** Stripes distinguish a bar from its neighbour without colour, dashes a line. */
  texture?: "stripes" | "dashes" | "dots";
}

/** The label of a slice of time, and the filter for its events or runs. */
export interface ChartSlice {
  label: string;
  filter: Filter;
}

interface Props {
  title: string;
  /** Bars are stacked, lines overlap. */
  look: "bars" | "lines";
  series: readonly Series[];
  slices: readonly ChartSlice[];
  /** The page that the slices link to. */
  to: "/" | "/spans";
  /** The labels at the left, in the middle and at the right end of the axis. */
  axis: readonly string[];
  format: (value: number | null) => string;
  /** The slice under the pointer, in this chart or those beside it. */
  at: number | null;
  onPoint: (at: number | null) => void;
}

/** A small chart over time: each slice links to its events or runs; arrow keys move between slices. */
export function Chart({ title, look, series, slices, to, axis, format, at, onPoint }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const bars = look === "bars";
  const sums = slices.map((_, slice) => series.reduce((sum, { values }) => sum + (values[slice] ?? 0), 0));
  const top = topOf(bars ? sums : series.flatMap(({ values }) => values));
  const stop = at ?? slices.length - 1;

  function onKeyDown(event: KeyboardEvent) {
    const next = steppedFrom(event.key, stop, slices.length);
    if (next === null) return;
    event.preventDefault();
    list.current?.querySelectorAll("a")[next]?.focus();
  }

  return (
    <figure className={css.chart}>
      <figcaption className={css.caption}>
        <h3 className={css.title}>{title}</h3>
        <Legend
          look={look}
          series={series}
          at={at}
          format={format}
          label={at === null ? null : (slices[at]?.label ?? null)}
        />
      </figcaption>
      <div className={css.plot}>
        <span className={css.top} aria-hidden>
          {format(top)}
        </span>
        <span className={css.middle} aria-hidden />
        {!bars && <Lines series={series} top={top} />}
        <ul
          ref={list}
          className={css.slices}
          aria-label={`${title} over time`}
          onKeyDown={onKeyDown}
          onPointerLeave={() => onPoint(null)}
        >
          {slices.map((slice, place) => (
            <Slice
              // biome-ignore lint/suspicious/noArrayIndexKey: a slice is identified by its index
              key={place}
              place={place}
              slice={slice}
              to={to}
              words={series.map(({ name, values }) => `${format(values[place] ?? null)} ${name}`).join(", ")}
              parts={bars ? series.map(({ values }) => (values[place] ?? 0) / top) : null}
              series={series}
              pointed={place === at}
              reached={place === stop}
              onPoint={onPoint}
            />
          ))}
        </ul>
      </div>
      <div className={css.axis} aria-hidden>
        {axis.map((label, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a label is identified by its index
          <span key={place}>{label}</span>
        ))}
      </div>
    </figure>
  );
}

function steppedFrom(key: string, at: number, count: number): number | null {
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 }[key];
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next));
}

interface SliceProps {
  place: number;
  slice: ChartSlice;
  to: "/" | "/spans";
  words: string;
  /** The shares of the height of its bars; null if lines are drawn. */
  parts: readonly number[] | null;
  series: readonly Series[];
  pointed: boolean;
  reached: boolean;
  onPoint: (at: number | null) => void;
}

const Slice = memo(
  function Slice({ place, slice, to, words, parts, series, pointed, reached, onPoint }: SliceProps) {
    return (
      <li className={css.slice}>
        <Link
          to={to}
          search={slice.filter}
          preload={false}
          className={clsx(css.link, pointed && css.pointed)}
          tabIndex={reached ? 0 : -1}
          aria-label={`${slice.label}: ${words}`}
          draggable={false}
          onPointerEnter={() => onPoint(place)}
          onFocus={() => onPoint(place)}
          onBlur={() => onPoint(null)}
        >
          {parts?.map((share, part) => {
            const row = series[part];
            if (!row || share <= 0) return null;
            return (
              <span
                key={row.name}
                className={clsx(css.part, row.texture && css[row.texture])}
                // At least a pixel and a half, so that a small value does not look like zero.
                style={{ height: `max(1.5px, ${share * 100}%)`, color: `var(${row.color})` }}
              />
            );
          })}
        </Link>
      </li>
    );
  },
  (before, after) =>
    before.words === after.words &&
    before.to === after.to &&
    before.pointed === after.pointed &&
    before.reached === after.reached &&
    before.slice.label === after.slice.label &&
    JSON.stringify([before.slice.filter, before.parts]) === JSON.stringify([after.slice.filter, after.parts]),
);

function Legend({
  look,
  series,
  at,
  format,
  label,
}: {
  look: "bars" | "lines";
  series: readonly Series[];
  at: number | null;
  format: (value: number | null) => string;
  label: string | null;
}) {
  return (
    <div className={css.legend} aria-hidden>
      {label && <span className={css.when}>{label}</span>}
      {series.map(({ name, values, color, texture }) => (
        <span key={name} className={css.entry}>
          <span
            className={clsx(css.swatch, look === "lines" && css.line, texture && css[texture])}
            style={{ color: `var(${color})` }}
          />
          {at !== null && <span className={css.value}>{format(values[at] ?? null)}</span>}
          {name}
        </span>
      ))}
    </div>
  );
}

/** Lines in a square of 100 by 100 units that is stretched to the plot. */
function Lines({ series, top }: { series: readonly Series[]; top: number }) {
  return (
    <svg className={css.lines} viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
      {series.map(({ name, values, color, texture }) => (
        <path
          key={name}
          d={lineOf(values, top)}
          className={texture && css[texture]}
          style={{ stroke: `var(${color})` }}
        />
      ))}
    </svg>
  );
}

/** A path through the known values; a value without neighbours is a short dash. */
function lineOf(values: readonly (number | null)[], top: number): string {
  const step = 100 / Math.max(1, values.length);
  const y = (value: number) => (100 - (value / top) * 100).toFixed(2);
  return values
    .map((value, at) => {
      if (value === null) return "";
      const x = (at + 0.5) * step;
      const [before, after] = [values[at - 1] ?? null, values[at + 1] ?? null];
      if (before === null && after === null) {
        return `M${(x - step / 3).toFixed(2)} ${y(value)}H${(x + step / 3).toFixed(2)}`;
      }
      return `${before === null ? "M" : "L"}${x.toFixed(2)} ${y(value)}`;
    })
    .join("");
}
