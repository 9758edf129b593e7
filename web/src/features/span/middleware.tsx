import type { FullSpan } from "@/lib/full-span";
import { MIDDLEWARE_PREFIX } from "@/lib/semconv";
import { visibleLine } from "@/lib/visible";
import { JsonView } from "@/ui/json-view";
import { Fact, Facts, Section } from "./section";

/** What each middleware changed on the way in or out, as it was recorded. */
export function Middleware({ span }: { span: FullSpan }) {
  const keys = Object.keys(span.attributes)
    .filter((key) => key.startsWith(MIDDLEWARE_PREFIX))
    .sort();
  return (
    <Section title="Changed by middleware">
      <Facts>
        {keys.map((key) => {
          const name = visibleLine(key.slice(MIDDLEWARE_PREFIX.length).replace(/^[._]/, "") || "middleware");
          return (
            <Fact key={key} label={name}>
              <JsonView value={span.attributes[key]} label={name} lines={20} />
            </Fact>
          );
        })}
      </Facts>
    </Section>
  );
}
