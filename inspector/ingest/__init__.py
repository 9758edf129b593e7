"""Ingests spools and requests into the store, in the one process that writes it."""

from inspector.ingest.again import ReadAgain, read_traces_again
from inspector.ingest.copying import Step, copy_home
from inspector.ingest.errors import CopyRefused, FileUnreadable, IntakeFull, NothingRecorded
from inspector.ingest.home import LOCK_WAIT_S, open_home
from inspector.ingest.intake import Intake, Receipt
from inspector.ingest.owner import Owner
from inspector.ingest.spool import SpoolReader

__all__ = [
    "LOCK_WAIT_S",
    "CopyRefused",
    "FileUnreadable",
    "Intake",
    "IntakeFull",
    "NothingRecorded",
    "Owner",
    "ReadAgain",
    "Receipt",
    "SpoolReader",
    "Step",
    "copy_home",
    "open_home",
    "read_traces_again",
]
