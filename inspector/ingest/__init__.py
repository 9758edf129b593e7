"""Ingests spools and requests into the store, in the one process that writes it."""

from inspector.ingest.again import ReadAgain, read_traces_again
from inspector.ingest.comparing import Difference
from inspector.ingest.copying import Copied, Step, copy_home
from inspector.ingest.errors import CopyRefused, FileUnreadable, IngestError, IntakeFull, NothingRecorded
from inspector.ingest.home import open_home
from inspector.ingest.intake import Intake, Receipt
from inspector.ingest.owner import Owner
from inspector.ingest.spool import Spool, SpoolTotals
from inspector.reading.dialects import read_span
from inspector.received.labels import LABEL_HOOK, label_event, labels_apart

__all__ = [
    "LABEL_HOOK",
    "Copied",
    "CopyRefused",
    "Difference",
    "FileUnreadable",
    "IngestError",
    "Intake",
    "IntakeFull",
    "NothingRecorded",
    "Owner",
    "ReadAgain",
    "Receipt",
    "Spool",
    "SpoolTotals",
    "Step",
    "copy_home",
    "label_event",
    "labels_apart",
    "open_home",
    "read_span",
    "read_traces_again",
]
