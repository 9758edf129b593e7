/** The filters there are. Made from inspector/model/filters.py: `python tests/filter_fields.py`. */

export const KINDS = ["workflow", "agent", "llm", "tool", "rpc", "resource", "prompt", "other"] as const;

export const STATUSES = ["running", "ok", "error", "denied", "cancelled", "abandoned", "lost"] as const;

/** Fields that hold one text. */
export const TEXT_FIELDS = [
  "trace_id",
  "parent_id",
  "run_id",
  "session_id",
  "name",
  "name_prefix",
  "agent",
  "model",
  "tool",
  "service",
  "error_type",
  "hook",
  "q",
] as const;

/** Fields that hold one number. */
export const NUMBER_FIELDS = ["min_duration_ms", "max_duration_ms", "min_cost_usd", "max_cost_usd"] as const;

/** Fields that hold pairs of a key, or a path, and a value. */
export const PAIR_FIELDS = ["attr", "args", "result"] as const;
