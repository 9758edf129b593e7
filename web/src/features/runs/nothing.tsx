import { Radio, SearchX } from "lucide-react";
import { BASE } from "@/api/client";
import { Button, CopyButton } from "@/ui/button";
import { Empty } from "@/ui/notice";
import css from "./nothing.module.css";

const RUN = "inspector run agent.py";
const ATTACH = "import inspector; inspector.attach()";
const DEMO = "inspector demo --once";

/** Shown before there is any run: how to record the first one. */
export function NoRuns() {
  return (
    <Empty title="Record your first run" icon={<Radio size={28} aria-hidden className={css.icon} />}>
      <p>Start a Python program that runs an agent:</p>
      <Code text={RUN} />
      <p>Or paste one line at the top of it:</p>
      <Code text={ATTACH} />
      <p>Or run a small demo agent, which needs no API key:</p>
      <Code text={DEMO} />
      <p>Anything else that speaks OpenTelemetry can send its spans here:</p>
      <Code text={`${BASE}v1/traces`} />
      <p className={css.wait}>
        <span className={css.pulse} aria-hidden />
        The run appears here as soon as it starts.
      </p>
    </Empty>
  );
}

function Code({ text }: { text: string }) {
  return (
    <div className={css.line}>
      <code>{text}</code>
      <CopyButton text={text} label={`Copy ${text}`} />
    </div>
  );
}

/** Shown if no run matches the filter. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Empty title="No run matches this filter" icon={<SearchX size={28} aria-hidden className={css.icon} />}>
      <p>New runs that match appear here.</p>
      <Button className={css.clear} onClick={onClear}>
        Clear the filter
      </Button>
    </Empty>
  );
}
