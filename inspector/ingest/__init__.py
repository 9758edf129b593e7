"""From spools to the store: decoding, dialects, prices, and the one process that writes."""

from inspector.ingest.dialects import read_span
from inspector.ingest.errors import IngestError, NothingRecorded
from inspector.ingest.otlp import Decoded, DecodedSpan, decode
from inspector.ingest.owner import Owner
from inspector.ingest.reading import open_home
from inspector.ingest.spool import Spool, TakenIn

__all__ = [
    "Decoded",
    "DecodedSpan",
    "IngestError",
    "NothingRecorded",
    "Owner",
    "Spool",
    "TakenIn",
    "decode",
    "open_home",
    "read_span",
]
