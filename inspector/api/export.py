"""What becomes of a request that carries spans, whichever way it came."""

from inspector.api.errors import ExportFailed
from inspector.ingest import Receipt


def failure_of(receipt: Receipt) -> ExportFailed | None:
    """Tell why all of a request was refused, or None when it was not."""
    if receipt.malformed is None:
        return None
    if receipt.too_large:
        return ExportFailed(413, f"send less at a time: {receipt.malformed}")
    return ExportFailed(400, f"not an ExportTraceServiceRequest: {receipt.malformed}")
