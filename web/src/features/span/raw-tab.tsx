import { JsonView } from "@/ui/json-view";
import css from "./events-tab.module.css";

/** The span as the API returns it. */
export function RawTab({ raw }: { raw: object }) {
  return (
    <div className={css.tab}>
      <h3 className="visually-hidden">Raw</h3>
      <JsonView value={raw} label="span" lines={80} />
    </div>
  );
}
