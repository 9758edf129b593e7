"""Ingests spools and requests into the store, in the one process that writes it."""

from inspector.ingest.copying import Step, copy_home
from inspector.ingest.errors import CopyRefused, FileUnreadable, IntakeFull, NothingRecorded
from inspector.ingest.home import LOCK_WAIT_S, open_home
from inspector.ingest.intake import Intake, Receipt
from inspector.ingest.owner import Owner
from inspector.ingest.reindexing import Reindexed, reindex
from inspector.ingest.spool import SpoolReader

__all__ = [
    "LOCK_WAIT_S",
    "CopyRefused",
    "FileUnreadable",
    "Intake",
    "IntakeFull",
    "NothingRecorded",
    "Owner",
    "Receipt",
    "Reindexed",
    "SpoolReader",
    "Step",
    "copy_home",
    "open_home",
    "reindex",
]
