"""How an OTLP request is processed, over HTTP or gRPC."""

from concurrent.futures import Future
from functools import partial
from typing import Final

from inspector.api.errors import ExportFailed
from inspector.ingest import Intake, IntakeFull, Receipt
from inspector.otlp import WITHOUT_SPAN, Encoding, Signal, decode_request, export_response

REQUESTS: Final[dict[Signal, str]] = {
    "traces": "ExportTraceServiceRequest",
    "metrics": "ExportMetricsServiceRequest",
    "logs": "ExportLogsServiceRequest",
}
"""The names of the requests in OTLP."""


def deliver(
    intake: Intake, body: bytes, encoding: Encoding, *, gzipped: bool = False, signal: Signal = "traces"
) -> Future[Receipt]:
    """Queue a request. The future ends once its content is committed, or with the StoreError that prevented it.

    Raises:
        ExportFailed: Too much is waiting already.
    """
    try:
        return intake.deliver(partial(decode_request, body, encoding, gzipped=gzipped, signal=signal), len(body))
    except IntakeFull as error:
        raise ExportFailed(503, str(error)) from error


def response_to(receipt: Receipt, encoding: Encoding, signal: Signal) -> bytes:
    """Encode the answer to a request that was accepted: fully, or except for the spans or logs that the answer counts.

    That metrics and logs without a span are not stored is no news to their sender, which could only complain.

    Raises:
        ExportFailed: Nothing was accepted.
    """
    if receipt.malformed is None:
        counted = {} if signal == "metrics" else {**receipt.rejected}
        counted.pop(WITHOUT_SPAN, None)
        return export_response(counted, encoding, signal)
    if receipt.too_large:
        raise ExportFailed(413, f"send less at a time: {receipt.malformed}")
    raise ExportFailed(400, f"not an {REQUESTS[signal]}: {receipt.malformed}")
