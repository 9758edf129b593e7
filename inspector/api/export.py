"""How a request that carries spans is processed, over HTTP or gRPC."""

from concurrent.futures import Future
from functools import partial

from inspector.api.errors import ExportFailed
from inspector.ingest import Intake, IntakeFull, Receipt
from inspector.otlp import Encoding, decode_request, export_response


def deliver(intake: Intake, body: bytes, encoding: Encoding, *, gzipped: bool = False) -> Future[Receipt]:
    """Queue a request; the future ends once its spans are committed, or with the StoreError that kept them out.

    Raises:
        ExportFailed: Too much waits already.
    """
    try:
        return intake.deliver(partial(decode_request, body, encoding, gzipped=gzipped), len(body))
    except IntakeFull as error:
        raise ExportFailed(503, str(error)) from error


def response_to(receipt: Receipt, encoding: Encoding) -> bytes:
    """Write the answer to a request that was taken: all of it, or all but what the answer counts.

    Raises:
        ExportFailed: None of it was taken.
    """
    if receipt.malformed is None:
        return export_response(receipt.rejected, encoding)
    if receipt.too_large:
        raise ExportFailed(413, f"send less at a time: {receipt.malformed}")
    raise ExportFailed(400, f"not an ExportTraceServiceRequest: {receipt.malformed}")
