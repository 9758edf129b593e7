import { AttributeList } from "./attributes-tab";
import type { OverviewProps } from "./overview-props";
import { RecordedValue } from "./recorded-value";
import { Nothing, Section } from "./section";

/** A span of an unknown kind: its attributes come first. */
export function OtherOverview({ span }: OverviewProps) {
  const sides = [
    ["Input", span.input, "input"],
    ["Output", span.output, "output"],
  ] as const;
  return (
    <>
      <Section title="Attributes">
        {Object.keys(span.attributes).length === 0 ? (
          <Nothing>It has none.</Nothing>
        ) : (
          <AttributeList attributes={span.attributes} />
        )}
      </Section>
      {sides.map(
        ([title, value, side]) =>
          (value !== null || span.clipped[side] !== undefined) && (
            <Section key={side} title={title}>
              <RecordedValue value={value} label={side} nothing="" clipped={span.clipped[side] !== undefined} />
            </Section>
          ),
      )}
    </>
  );
}
