import type { FullSpan, SpanLink as Link } from "@/lib/full-span";
import { visibleLine } from "@/lib/visible";
import { CopyButton } from "@/ui/button";
import { Empty } from "@/ui/notice";
import { SpanLink } from "@/ui/span-link";
import { AttributeList } from "./attributes-tab";
import css from "./events-tab.module.css";
import { Few } from "./few";

const STEP = 200;

/** The spans that a span links to. */
export function LinksTab({ span }: { span: FullSpan }) {
  if (span.links.length === 0) {
    return <Empty title="No links">Spans of other runs that this span links to appear here.</Empty>;
  }
  return (
    <div className={css.tab}>
      <h3 className="visually-hidden">Links</h3>
      <Few items={span.links} step={STEP}>
        {(shown) => (
          <ul>
            {shown.map((link, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same span may be linked twice
              <LinkItem key={at} link={link} isHere={link.traceId === span.trace_id} />
            ))}
          </ul>
        )}
      </Few>
    </div>
  );
}

function LinkItem({ link, isHere }: { link: Link; isHere: boolean }) {
  const { traceId, spanId, attributes } = link;
  const isKnown = /^[0-9a-f]{32}$/.test(traceId) && /^[0-9a-f]{16}$/.test(spanId);
  return (
    <li className={css.event}>
      <div className={css.head}>
        <span>
          {isKnown ? (
            <SpanLink traceId={traceId} spanId={spanId}>
              {isHere ? "Span" : "Span of another run"} <code>{spanId}</code>
            </SpanLink>
          ) : (
            <code>{visibleLine(`${traceId} ${spanId}`.trim()) || "no id"}</code>
          )}
          <CopyButton text={spanId} label="Copy span id" />
        </span>
        <span className={css.time}>
          {!isHere && isKnown && (
            <>
              trace <code>{traceId}</code>
            </>
          )}
        </span>
      </div>
      <AttributeList attributes={attributes} />
    </li>
  );
}
