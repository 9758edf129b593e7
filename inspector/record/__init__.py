"""Records hooks as OpenTelemetry spans in this process's spool.

Where to begin:

- `attach` starts and ends the recording of a process, in forked children too.
- `recorder` subscribes to the hooks, and takes each through the packages below: in the agent's thread up to `spool`.
- `capture` says what is kept of each hook; `values` copies it without running the program's code.
- `calls` has the open calls as spans: `pairing` finds the call that a hook ends, `current` the innermost one.
- `spool` is the queue and the thread behind it, which writes the files.
- `lines` is what that thread makes of a call: `call_writer` a record without secrets, `renderer` lines of it.
- `moments` records labels, and what ended the program: they belong to no call.
- `mirror` repeats calls as spans of the application's own tracer provider.
- `process` describes the recorded process, what started it and how it ends.
- `manual` has what the program itself records, without a hook: runs, labels, logs and dumps of state.
"""

from inspector.record.attach import Attachment, attach, attached, detach
from inspector.record.manual.blocks import run
from inspector.record.manual.labels import label
from inspector.record.manual.logs import record_logs, stop_recording_logs
from inspector.record.manual.state_dumps import dump_state

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
