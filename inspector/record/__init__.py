"""Records hooks as OpenTelemetry spans in this process's spool."""

from inspector.record.attach import Attachment, attach, detach, dump_state

__all__ = ["Attachment", "attach", "detach", "dump_state"]
