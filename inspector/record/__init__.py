"""Records hooks as OpenTelemetry spans in this process's spool."""

from inspector.record.attach import Attachment, attach, attached, detach
from inspector.record.blocks import run
from inspector.record.labels import label
from inspector.record.logs import record_logs, stop_recording_logs
from inspector.record.state import dump_state

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
