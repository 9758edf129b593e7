"""Records hooks as OpenTelemetry spans in this process's spool."""

from inspector.record.attach import Attachment, attach, detach, dump_state
from inspector.record.logs import record_logs, stop_recording_logs
from inspector.record.provider import provide, stop_providing

__all__ = [
    "Attachment",
    "attach",
    "detach",
    "dump_state",
    "provide",
    "record_logs",
    "stop_providing",
    "stop_recording_logs",
]
