"""Records hooks as OpenTelemetry spans in this process's spool.

Where to begin:

- `attach` starts and ends the recording of a process, in forked children too.
- `recorder` subscribes to the hooks; `calls` pairs them and keeps the tree of open calls, `current` the innermost one.
- `capture` says what is copied of each hook, and `values` copies it without running the program's code.
- `spool` has the queue and the thread behind it: `call_writer` makes records without secrets, `renderer` puts them into
  lines, `segments` writes the files.
- `sdk_spans`, `logs`, `labels`, `blocks` and `state_dumps` record what no hook announces.
"""

from inspector.record.attach import Attachment, attach, attached, detach
from inspector.record.blocks import run
from inspector.record.labels import label
from inspector.record.logs import record_logs, stop_recording_logs
from inspector.record.state_dumps import dump_state

__all__ = [
    "Attachment",
    "attach",
    "attached",
    "detach",
    "dump_state",
    "label",
    "record_logs",
    "run",
    "stop_recording_logs",
]
