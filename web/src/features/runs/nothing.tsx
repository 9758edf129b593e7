import { Radio, SearchX } from "lucide-react";
import { BASE } from "@/api/client";
import { Button } from "@/ui/button";
import { CodeLine } from "@/ui/code-line";
import { Empty } from "@/ui/notice";
import css from "./nothing.module.css";

const RUN = "inspector run agent.py";
const ATTACH = "import inspector; inspector.attach()";
const DEMO = "inspector demo --once";

/** Shown before there is any run: how to record the first one. */
export function NoRuns() {
  return (
    <Empty title="Record your first run" icon={<Radio size={28} aria-hidden />}>
      <p>Start a Python program that runs an agent:</p>
      <CodeLine text={RUN} />
      <p>Or paste one line at the top of it:</p>
      <CodeLine text={ATTACH} />
      <p>Or run a small demo agent, which needs no API key:</p>
      <CodeLine text={DEMO} />
      <p>Anything else that speaks OpenTelemetry can send its spans here:</p>
      <CodeLine text={`${BASE}v1/traces`} />
      <p className={css.wait}>
        <span className={css.pulse} aria-hidden />
        The run appears here as soon as it starts.
      </p>
    </Empty>
  );
}

/** Shown if no run matches the filter. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Empty title="No run matches this filter" icon={<SearchX size={28} aria-hidden />}>
      <p>New runs that match appear here.</p>
      <Button className={css.clear} onClick={onClear}>
        Clear the filter
      </Button>
    </Empty>
  );
}
