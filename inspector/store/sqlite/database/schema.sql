-- The schema that the migrations make, to create a new database without them.
-- After a new migration: python tests/newest_schema.py

CREATE TABLE alembic_version (
  version_num VARCHAR(32) NOT NULL,
  CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE contents (
  id INTEGER NOT NULL,
  hash BLOB NOT NULL,
  span BIGINT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (id)
);

CREATE INDEX ix_contents_span ON contents (span);

CREATE TABLE counters (
  name TEXT NOT NULL,
  value BIGINT NOT NULL,
  PRIMARY KEY (name)
)
 WITHOUT ROWID;

CREATE TABLE sessions (
  id INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT,
  latest_ns BIGINT NOT NULL,
  traces BIGINT NOT NULL,
  running BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  lost BIGINT NOT NULL,
  abandoned BIGINT NOT NULL,
  cancelled BIGINT NOT NULL,
  spans BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  llm_calls BIGINT NOT NULL,
  tool_calls BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cached_tokens BIGINT NOT NULL,
  priced BIGINT NOT NULL,
  cost_usd FLOAT NOT NULL,
  seq BIGINT NOT NULL, calls BIGINT DEFAULT '0' NOT NULL, unpriced_calls BIGINT DEFAULT '0' NOT NULL, uncaught BIGINT DEFAULT '0' NOT NULL,
  PRIMARY KEY (id)
);

CREATE INDEX ix_sessions_latest ON sessions (latest_ns);

CREATE UNIQUE INDEX ux_sessions_session ON sessions (session_id);

CREATE TABLE spools (
  name TEXT NOT NULL,
  inode TEXT NOT NULL,
  "offset" BIGINT NOT NULL,
  lines BIGINT NOT NULL,
  bad_lines BIGINT NOT NULL,
  spans BIGINT NOT NULL,
  bad_spans BIGINT NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE traces (
  id INTEGER NOT NULL,
  trace_id TEXT NOT NULL,
  session_id TEXT,
  head_id BIGINT NOT NULL,
  head_is_root INTEGER NOT NULL,
  head_start_ns BIGINT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  service TEXT,
  head_agent TEXT,
  any_agent TEXT,
  any_agent_start_ns BIGINT NOT NULL,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT,
  duration_ms FLOAT,
  running BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  lost BIGINT NOT NULL,
  abandoned BIGINT NOT NULL,
  cancelled BIGINT NOT NULL,
  spans BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  llm_calls BIGINT NOT NULL,
  tool_calls BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cached_tokens BIGINT NOT NULL,
  priced BIGINT NOT NULL,
  cost_usd FLOAT NOT NULL,
  models TEXT NOT NULL,
  seq BIGINT NOT NULL, calls BIGINT DEFAULT '0' NOT NULL, unpriced_calls BIGINT DEFAULT '0' NOT NULL, session_start_ns BIGINT DEFAULT '0' NOT NULL, mixed INTEGER DEFAULT '0' NOT NULL, run_id TEXT DEFAULT '' NOT NULL, run_origin TEXT DEFAULT 'trace' NOT NULL, named_run TEXT, run_noun TEXT, question TEXT, answer TEXT, run_is_of_root INTEGER DEFAULT '0' NOT NULL, run_start_ns BIGINT DEFAULT '0' NOT NULL, question_ns BIGINT DEFAULT '0' NOT NULL, answer_ns BIGINT DEFAULT '0' NOT NULL,
  PRIMARY KEY (id)
);

CREATE INDEX ix_traces_session ON traces (session_id, start_ns) WHERE session_id IS NOT NULL;

CREATE INDEX ix_traces_time ON traces (start_ns);

CREATE UNIQUE INDEX ux_traces_trace ON traces (trace_id);

CREATE TABLE "spans" (
  id INTEGER NOT NULL,
  seq BIGINT NOT NULL,
  trace_id BIGINT NOT NULL,
  span_id TEXT NOT NULL,
  parent_id TEXT,
  session_id TEXT,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  hook TEXT,
  dialect TEXT,
  service TEXT,
  agent TEXT,
  model TEXT,
  tool TEXT,
  request_model TEXT,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT,
  duration_ms FLOAT,
  input_tokens BIGINT,
  output_tokens BIGINT,
  cached_tokens BIGINT,
  cost_usd FLOAT,
  folded_into TEXT,
  process TEXT,
  exact_times TEXT,
  error_type TEXT,
  error_message TEXT,
  error_traceback TEXT,
  input_key TEXT,
  output_key TEXT,
  shared TEXT,
  attributes BLOB NOT NULL,
  events BLOB,
  links BLOB, named_model TEXT GENERATED ALWAYS AS (coalesce(request_model, model)) VIRTUAL, identity TEXT, session_inherited INTEGER, run TEXT, replay INTEGER, server TEXT,
  PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ux_spans_span ON spans (trace_id, span_id);

CREATE UNIQUE INDEX ux_spans_changed ON spans (seq) WHERE seq <> id;

CREATE INDEX ix_spans_trace ON spans (trace_id, start_ns);

CREATE INDEX ix_spans_session ON spans (session_id, start_ns) WHERE session_id IS NOT NULL;

CREATE INDEX ix_spans_tool ON spans (tool, start_ns) WHERE tool IS NOT NULL;

CREATE INDEX ix_spans_model ON spans (model, start_ns) WHERE model IS NOT NULL;

CREATE INDEX ix_spans_error ON spans (error_type, start_ns) WHERE error_type IS NOT NULL;

CREATE INDEX ix_spans_not_ok ON spans (status, start_ns) WHERE status <> 'ok';

CREATE INDEX ix_spans_running ON spans (process) WHERE status = 'running';

CREATE TABLE losses (
  id INTEGER NOT NULL,
  process TEXT NOT NULL,
  run TEXT,
  service TEXT,
  reason TEXT NOT NULL,
  count BIGINT NOT NULL,
  since_ns BIGINT NOT NULL,
  until_ns BIGINT NOT NULL, arrived_ns BIGINT DEFAULT '0' NOT NULL,
  PRIMARY KEY (id)
);

CREATE INDEX ix_losses_process ON losses (process, reason, until_ns);

CREATE INDEX ix_losses_time ON losses (until_ns);

CREATE INDEX ix_spans_time ON spans (start_ns, id, trace_id, kind, status, name, service, agent, model, request_model, tool, error_type, duration_ms, input_tokens, output_tokens, cached_tokens, cost_usd, folded_into);

CREATE INDEX ix_spans_named_model ON spans (named_model, start_ns) WHERE named_model IS NOT NULL;

CREATE TABLE shares (
  trace_id BIGINT NOT NULL,
  session_id TEXT NOT NULL,
  running BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  lost BIGINT NOT NULL,
  abandoned BIGINT NOT NULL,
  cancelled BIGINT NOT NULL,
  spans BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  llm_calls BIGINT NOT NULL,
  tool_calls BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cached_tokens BIGINT NOT NULL,
  priced BIGINT NOT NULL,
  cost_usd FLOAT NOT NULL,
  calls BIGINT DEFAULT '0' NOT NULL,
  unpriced_calls BIGINT DEFAULT '0' NOT NULL,
  PRIMARY KEY (trace_id, session_id)
)
 WITHOUT ROWID;

CREATE INDEX ix_shares_session ON shares (session_id);

CREATE TABLE arrivals (
  hour INTEGER NOT NULL,
  seq BIGINT NOT NULL,
  trace BIGINT NOT NULL,
  PRIMARY KEY (hour)
);

CREATE TABLE runs (
  id INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  service TEXT,
  agent TEXT,
  trace_id TEXT NOT NULL,
  head BIGINT NOT NULL,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT,
  duration_ms FLOAT,
  traces BIGINT NOT NULL,
  running BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  lost BIGINT NOT NULL,
  abandoned BIGINT NOT NULL,
  cancelled BIGINT NOT NULL,
  open_calls BIGINT NOT NULL,
  spans BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  llm_calls BIGINT NOT NULL,
  tool_calls BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cached_tokens BIGINT NOT NULL,
  priced BIGINT NOT NULL,
  calls BIGINT NOT NULL,
  unpriced_calls BIGINT NOT NULL,
  cost_usd FLOAT NOT NULL,
  models TEXT NOT NULL,
  seq BIGINT NOT NULL,
  question TEXT,
  question_ns BIGINT NOT NULL,
  question_from BIGINT NOT NULL,
  answer TEXT,
  answer_ns BIGINT NOT NULL,
  answer_from BIGINT NOT NULL, uncaught BIGINT DEFAULT '0' NOT NULL,
  PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ux_runs_run ON runs (run_id);

CREATE INDEX ix_runs_time ON runs (start_ns);

CREATE INDEX ix_traces_run ON traces (run_id, start_ns);

CREATE TABLE turns (
  span INTEGER NOT NULL,
  run TEXT NOT NULL,
  lane TEXT,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT,
  failed INTEGER NOT NULL,
  asked BLOB NOT NULL,
  answered BLOB,
  response TEXT,
  link TEXT NOT NULL,
  previous BIGINT,
  conversation BIGINT NOT NULL,
  continued INTEGER NOT NULL,
  candidates INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  new_from INTEGER NOT NULL,
  sizes TEXT NOT NULL,
  tools TEXT NOT NULL,
  results TEXT NOT NULL,
  PRIMARY KEY (span)
);

CREATE INDEX ix_turns_previous ON turns (previous) WHERE previous IS NOT NULL;

CREATE INDEX ix_turns_response ON turns (run, response) WHERE response IS NOT NULL;

CREATE TABLE labels (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  span_id TEXT NOT NULL,
  name TEXT NOT NULL,
  score FLOAT,
  value TEXT,
  note TEXT,
  author TEXT NOT NULL,
  source TEXT NOT NULL,
  time_ns BIGINT NOT NULL
);

CREATE INDEX ix_labels_run ON labels (run_id);

CREATE INDEX ix_labels_span ON labels (trace_id, span_id);

CREATE INDEX ix_labels_name ON labels (name);

CREATE INDEX ix_spans_sharing ON spans (run) WHERE shared IS NOT NULL AND run IS NOT NULL;

CREATE TABLE figure_groups (
  id INTEGER NOT NULL,
  "view" INTEGER NOT NULL,
  written TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  service TEXT,
  agent TEXT,
  model TEXT,
  tool TEXT,
  error_type TEXT,
  name TEXT, server TEXT,
  PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ux_figure_groups_written ON figure_groups (written, "view");

CREATE TABLE figures (
  "view" BIGINT NOT NULL,
  seconds BIGINT NOT NULL,
  start_s BIGINT NOT NULL,
  group_id BIGINT NOT NULL,
  count BIGINT NOT NULL,
  errors BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  cached_tokens BIGINT NOT NULL,
  priced BIGINT NOT NULL,
  unpriced_calls BIGINT NOT NULL,
  cost_usd FLOAT NOT NULL,
  durations BLOB NOT NULL,
  PRIMARY KEY ("view", seconds, start_s, group_id)
)
 WITHOUT ROWID;

CREATE INDEX ix_spans_duration ON spans (duration_ms) WHERE duration_ms IS NOT NULL;

CREATE INDEX ix_spans_cost ON spans (cost_usd) WHERE cost_usd IS NOT NULL;

CREATE TABLE attribute_pages (
  page INTEGER NOT NULL,
  bits BLOB,
  PRIMARY KEY (page)
);

CREATE INDEX ix_attribute_pages_changed ON attribute_pages (page) WHERE bits IS NULL;

CREATE INDEX ix_spans_replay ON spans (trace_id) WHERE replay IS NOT NULL;

CREATE INDEX ix_turns_answered ON turns (run, answered);

CREATE INDEX ix_turns_asked ON turns (run, asked) WHERE failed = 1;

CREATE TABLE logs (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  trace_id TEXT NOT NULL,
  span_id TEXT NOT NULL,
  identity TEXT NOT NULL,
  time_ns BIGINT NOT NULL,
  hour BIGINT NOT NULL,
  state BIGINT NOT NULL,
  event BLOB NOT NULL
);

CREATE UNIQUE INDEX ux_logs_log ON logs (trace_id, span_id, identity);

CREATE INDEX ix_logs_state ON logs (state);

CREATE INDEX ix_logs_hour ON logs (hour);

CREATE VIRTUAL TABLE search USING fts5(body, content='', columnsize=0, detail=none, tokenize='unicode61');

INSERT INTO alembic_version VALUES ('0027');

INSERT INTO counters VALUES ('spans', 0);

INSERT INTO counters VALUES ('trace', 0);

INSERT INTO search (search, rank) VALUES ('automerge', 8);
